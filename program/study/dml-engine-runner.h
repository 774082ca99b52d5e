/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ENGINE_RUNNER_H
#define DML_ENGINE_RUNNER_H

#include "dml-run-cost.h"
#include "dml-study-case.h"

#include "ns3/dml-prepared-case.h"

#include <functional>
#include <string>

namespace ns3::dml
{

class RunObserver;

/// What an engine is to run, and where its files go.
struct EngineRun
{
    const PreparedScenario& prepared; //!< the scenario
    const StudyCase& studyCase;       //!< one of its cases
    PreparedCase work;                //!< what the engine is given; it may take it
    std::string folder;               //!< existing folder for captures
    CsvResults* files{nullptr};       //!< for rows that only the engine knows; null: nobody asks
    RankWorld* world{nullptr};        //!< the processes that simulate it together; null: this one
};

/**
 * @brief Who is told of the progress of a run, and may end it.
 */
struct RunControl
{
    std::function<void(double)> progress; //!< told the fraction done by the engine
    std::function<bool()> stop;           //!< asked after each step; empty: all steps are done
    /// Told what a run does before it begins, and nothing when it begins; may be empty.
    std::function<void(const std::string&)> state;
};

/// What all runs of an engine took.
struct EngineSpent
{
    double cpuSeconds{0}; //!< measured
    double ops{0};        //!< done
    double bytes{0};      //!< payload of all transfers
    double estimate{0};   //!< CPU seconds that were expected for the steps that were done
};

/**
 * @ingroup dml-study
 * @brief How the runs of an engine are done, what they cost, and what is said of them.
 *
 * A new engine is a class of this kind in a file of its own, with a function of those below, and a
 * line in GetEngineRunner() and one in GetEngines().
 */
class EngineRunner
{
  public:
    virtual ~EngineRunner() = default;

    /// @param scenario of a study @return how often each of its configurations runs
    virtual uint32_t GetReplications(const Scenario& scenario) const;

    /**
     * @brief Build what runs share, for their processes to inherit.
     * @param prepared their scenario, which holds it
     * @param workers number of workers
     */
    virtual void BuildNetwork(const PreparedScenario& prepared, uint32_t workers) const;

    /**
     * @brief Refuse what the engine cannot run here, before anything runs.
     * @param prepared a scenario
     * @param workers number of workers
     * @throws InputError with what would be accepted
     */
    virtual void Check(const PreparedScenario& prepared, uint32_t workers) const;

    /**
     * @param prepared a scenario
     * @param studyCase one of its cases
     * @return its cost, without the trace; EstimateCost() adds that
     */
    virtual RunCost EstimateCost(const PreparedScenario& prepared,
                                 const StudyCase& studyCase) const = 0;

    /**
     * @param prepared the first scenario of a study
     * @param ranks most processes that simulate one run together
     * @return what will be run, in lines for a person
     */
    virtual std::string Describe(const PreparedScenario& prepared, uint32_t ranks) const = 0;

    /**
     * @param first the first scenario of a study
     * @param spent on its runs, more than 0 s
     * @param sweep whether there are other scenarios
     * @return what they took, in lines for a person
     */
    virtual std::string DescribeSpent(const PreparedScenario& first,
                                      const EngineSpent& spent,
                                      bool sweep) const = 0;

    /**
     * @brief Do a run.
     * @param run what to do
     * @param observer told of it
     * @param control told of its progress; may end it
     * @param summary gets what the engine alone knows: times, events, and what it counts
     * @throws RunError if the run fails
     */
    virtual void Run(EngineRun run,
                     RunObserver& observer,
                     const RunControl& control,
                     ReplicationSummary& summary) const = 0;

    /// Take part in a run on a rank other than 0; asked of engines that split over ranks.
    /// @param run what to do
    virtual void Join(EngineRun run) const;
};

/// @param kind of an engine @return how it runs
const EngineRunner& GetEngineRunner(EngineKind kind);

/// @return how the fair-share engine runs
const EngineRunner& GetFairShareRunner();
/// @return how the fair-share engine runs with TCP at the level of bursts
const EngineRunner& GetBurstRunner();
/// @return how the packet engine runs
const EngineRunner& GetPacketRunner();
/// @return how the host engine runs
const EngineRunner& GetHostRunner();

} // namespace ns3::dml

#endif /* DML_ENGINE_RUNNER_H */
