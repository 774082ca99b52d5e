/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_PLAN_H
#define DML_STUDY_PLAN_H

#include "dml-run-cost.h"
#include "dml-study-case.h"
#include "dml-study-identity.h"

#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-profile-cache.h"
#include "ns3/dml-result-summary.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/// One run of a study, and what it is expected to take.
struct PlannedRun
{
    StudyCase work;      //!< what to run
    uint32_t summary{0}; //!< index of its configuration in StudyPlan::MakeSummary()
    RunCost cost;        //!< of a variant that has been prepared
    double disk{0};      //!< bytes of its rows, of a variant that has been prepared; 0 if the run
                         //!< itself decides how many there are
    double transfers{0}; //!< bytes of these that are in transfers.csv
};

/**
 * @ingroup dml-study
 * @brief All runs of a study: for each variant, number of workers, engine and replication one, with
 * numbers that depend on the scenario alone.
 *
 * Variants are prepared one after the other; of many, only some are held prepared, and
 * GetPrepared() prepares the others again, in the process that runs them.
 */
class StudyPlan
{
  public:
    /**
     * @param scenarios checked variants, at least one
     * @param engines which engines run: what a choice of --engine means
     * @param ranks most processes that simulate one run together
     */
    StudyPlan(std::vector<Scenario> scenarios, EngineSet engines, uint32_t ranks = 1);

    /**
     * @brief Read profiles, check everything and estimate all runs.
     * @throws InputError if something does not fit, or a run cannot be split over ranks
     */
    void PrepareAll();

    /**
     * @brief The same for the variants of some runs only.
     * @param runs their numbers
     * @throws InputError if something does not fit
     */
    void PrepareFor(const std::vector<uint32_t>& runs);

    /**
     * @brief Build the networks that several runs share, for their processes to inherit: of
     * variants that are held, and while there is room; any other run builds its own.
     * @param runs their numbers
     */
    void BuildNetworks(const std::vector<uint32_t>& runs);

    /// @return all runs, in the order of the result files
    const std::vector<PlannedRun>& GetRuns() const
    {
        return m_runs;
    }

    /// @return numbers of all runs in the order in which they are best started; after PrepareAll()
    std::vector<uint32_t> GetOrder() const;

    /// @param variant of a run @return the variant, prepared
    std::shared_ptr<const PreparedScenario> GetPrepared(uint32_t variant) const;

    /// @return the first variant; after PrepareAll()
    const PreparedScenario& GetFirst() const;

    /// @return what is probably not meant in the variants that have been prepared
    const std::vector<std::string>& GetWarnings() const
    {
        return m_warnings;
    }

    /// @return all variants
    const std::vector<Scenario>& GetScenarios() const
    {
        return m_scenarios;
    }

    /// @return variants that have pictures, in order; of many, some from the first to the last one
    std::vector<uint32_t> GetDrawn() const;

    /// @return a summary with all configurations and no run; after PrepareAll()
    RunSummary MakeSummary() const;

    /// @return everything that the results depend on
    StudyIdentity MakeQuestion() const;

    /// @param run number of a run @return its name for a person, such as "packet W=4 r1"
    std::string GetLabel(uint32_t run) const;

    /**
     * @param jobs runs at a time
     * @throws InputError if these would not fit in memory, or the results of all; after
     * PrepareAll()
     */
    void CheckMemory(uint32_t jobs) const;

    /**
     * @param path of the folder of the results
     * @throws InputError if they would not fit on the disk; after PrepareAll()
     */
    void CheckDisk(const std::string& path) const;

  private:
    void AddRuns(uint32_t variant, bool shown);
    void Prepare(uint32_t variant);
    /// @param variant of the study @return it, prepared for the engines that run
    std::shared_ptr<const PreparedScenario> MakePrepared(uint32_t variant) const;

    std::vector<Scenario> m_scenarios;   //!< variants
    EngineSet m_engines;                 //!< engines that run
    uint32_t m_ranks;                    //!< most processes of a run
    std::vector<PlannedRun> m_runs;      //!< in the order of the result files
    std::vector<uint32_t> m_firstRuns;   //!< first run of each variant, and the number of runs
    std::vector<CaseSummary> m_cases;    //!< configurations, without runs
    std::vector<std::string> m_warnings; //!< of the variants that have been prepared, each once
    std::vector<std::shared_ptr<const PreparedScenario>> m_prepared; //!< or null, by variant
    double m_preparedBytes{0};                                       //!< bytes of these
    mutable ProfileCache m_profiles;                                 //!< of all variants
};

} // namespace ns3::dml

#endif /* DML_STUDY_PLAN_H */
