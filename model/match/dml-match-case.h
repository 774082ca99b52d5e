/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MATCH_CASE_H
#define DML_MATCH_CASE_H

#include "dml-effect-bias.h"
#include "dml-link-bias.h"
#include "dml-phase-bias.h"
#include "dml-recorded-run.h"
#include "dml-restarted-model.h"

#include "ns3/dml-prepared-scenario.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-match
 * @brief Hears the steps of a run of another engine, which the fair-share engine predicts
 * afterwards.
 */
class MatchRecorder : public RunListener<MatchRecorder>
{
  public:
    /// Most steps that are predicted: each takes a few kB, as a worker of its own.
    static constexpr std::size_t MOST_STEPS = 20000;

    /// @param record a step that has ended
    void On(const StepRecord& record)
    {
        if (m_steps.size() <= MOST_STEPS)
        {
            m_steps.push_back(record);
        }
    }

    /// @param step of the transfer @param transfer a tensor that it pulled or pushed
    void AddTransfer(StepName step, const TimedTransfer& transfer)
    {
        if (m_transfers.size() <= MOST_STEPS)
        {
            m_transfers[step].push_back(transfer);
        }
    }

    /// @brief What TCP sends again is recorded of this run, even if it is nothing.
    void RecordResends()
    {
        m_hasResends = true;
    }

    /// @param resend a stretch of time in which TCP sent something again
    void AddResend(const Resend& resend)
    {
        m_resends.push_back(resend);
    }

    /**
     * @param prepared scenario of the run
     * @param workers number of workers of the first job
     * @param replication number of the replication, from 0
     * @param from s, when the warm-up was over of a run that found that out itself; nothing: it is
     * over with the steps that the scenario says
     * @param[out] blocks as of EstimateLinkBias()
     * @return how far off the fair-share engine is, or why that is not known. Steps count after the
     * warm-up, up to the last one of the first worker that stops
     */
    LinkBias Match(const PreparedScenario& prepared,
                   uint32_t workers,
                   uint32_t replication,
                   std::optional<double> from,
                   std::vector<BiasBlock>* blocks = nullptr) const;

    /**
     * @brief Start the fair-share engine at instants of the run, see RestartedModel.
     * @param prepared as of Match() @param workers likewise @param replication likewise
     * @param from likewise
     * @param horizons numbers of steps, each at least 1
     * @param[out] obstacle why it cannot be started there, or empty
     * @return a drift for each horizon; none if there is an obstacle
     */
    std::vector<RestartBias> MatchRestarts(const PreparedScenario& prepared,
                                           uint32_t workers,
                                           uint32_t replication,
                                           std::optional<double> from,
                                           const std::vector<uint32_t>& horizons,
                                           std::string& obstacle) const;

    /**
     * @brief Find in which phases of its steps the model is off, see EstimatePhaseBiases().
     * @param prepared as of Match() @param workers likewise @param replication likewise
     * @param from likewise
     * @param[out] obstacle why that is not known, or empty
     * @return a bias for each kind of phase; none if there is an obstacle
     */
    std::vector<PhaseBias> MatchPhases(const PreparedScenario& prepared,
                                       uint32_t workers,
                                       uint32_t replication,
                                       std::optional<double> from,
                                       std::string& obstacle) const;

    /**
     * @brief Divide the bias among the parts of all effects, see EstimateEffectBiases().
     * @param prepared as of Match() @param workers likewise @param replication likewise
     * @param from likewise
     * @param[out] obstacle why that is not known, or empty
     * @return the whole bias, and what parts of effects add to it; none if there is an obstacle
     */
    std::vector<EffectBias> MatchEffects(const PreparedScenario& prepared,
                                         uint32_t workers,
                                         uint32_t replication,
                                         std::optional<double> from,
                                         std::string& obstacle) const;

  private:
    /// @param[out] obstacle why the steps cannot be predicted @return the job, if they can
    std::optional<MatchedJob> MakeJob(const PreparedScenario& prepared,
                                      uint32_t workers,
                                      uint32_t replication,
                                      std::string& obstacle) const;

    /// @param model of the run @return the steps that are compared
    std::set<StepName> ChooseCounted(const MatchedModel& model,
                                     uint32_t warmup,
                                     std::optional<double> from) const;

    /**
     * @brief What is found with transfers: prepare what it is found in.
     * @param prepared as of Match() @param workers likewise @param replication likewise
     * @param rounds whether workers may do their steps together
     * @param[out] obstacle why nothing is found, or empty
     * @param find what is looked for, in (model, run)
     * @return what it finds; none if there is an obstacle
     */
    template <typename Find>
    auto FindInTransfers(const PreparedScenario& prepared,
                         uint32_t workers,
                         uint32_t replication,
                         bool rounds,
                         std::string& obstacle,
                         Find find) const
        -> decltype(find(std::declval<const MatchedModel&>(), std::declval<const RecordedRun&>()));

    /// @param model of the run @param job likewise @param[out] obstacle why transfers do not fit
    /// the steps, or empty @return what effects look at
    RecordedRun MakeRun(const MatchedModel& model,
                        const MatchedJob& job,
                        const Profile& profile,
                        std::string& obstacle) const;

    std::vector<StepRecord> m_steps; //!< in the order in which they ended
    std::map<StepName, std::vector<TimedTransfer>> m_transfers; //!< by step, in any order
    std::vector<Resend> m_resends;                              //!< in any order
    bool m_hasResends{false};                                   //!< see RecordResends()
};

} // namespace ns3::dml

#endif /* DML_MATCH_CASE_H */
