/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCRATCH_STUDY_H
#define DML_SCRATCH_STUDY_H

#include "dml-temporary-folder.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-scenario.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

struct CaseSummary;
class Study;

/// What the replications of a case gave: throughput in samples/s, or nothing where there is none.
using Throughputs = std::vector<std::optional<double>>;

/// Why a case that ran has no throughput, for errors.
constexpr const char* NO_THROUGHPUT = "it has no throughput, as in the time that is measured not "
                                      "all workers end a step; accepted: more "
                                      "steps, or a shorter job.warmup";

/**
 * @ingroup dml-study
 * @brief Runs studies of which only the throughput is wanted, in a folder that goes with it.
 * Replications have the seeds of their scenario, so that those of two scenarios are pairs.
 */
class ScratchStudy
{
  public:
    /// @param jobs runs at the same time
    /// @param cpuLimit CPU seconds that the runs of a study may take, see ProcessPool
    /// @throws RunError if there can be no folder
    explicit ScratchStudy(uint32_t jobs, double cpuLimit = std::numeric_limits<double>::infinity());

    /// @return folder for files that runs read
    const std::string& GetFolder() const
    {
        return m_folder.GetPath();
    }

    /**
     * @param settings "key.path=value": all that it says; paths start at the current folder
     * @return the scenario that they make
     * @throws InputError if they make none, or several
     */
    Scenario MakeScenario(const std::vector<std::string>& settings) const;

    /**
     * @param scenario to run, with one number of workers; nothing but its throughput is written
     * @param engine that runs it
     * @return throughput of its replications
     * @throws InputError if something does not fit, RunError if a run fails
     */
    Throughputs Run(Scenario scenario, EngineKind engine);

    /// Run() several in one study: a folder and processes take longer than short runs.
    /// @return of each scenario, in their order
    std::vector<Throughputs> RunTogether(std::vector<Scenario> scenarios, EngineKind engine);

    /// Run() all numbers of workers and variants of a study. @return everything that they gave
    /// @throws CpuLimitError beyond the limit
    std::vector<CaseSummary> RunAll(std::vector<Scenario> scenarios, EngineKind engine);

    /// RunAll() @return the folder of its results: steps.csv and summary.json
    std::string RunInFolder(std::vector<Scenario> scenarios, EngineKind engine);

    /// Run() with other seeds than the scenario's: for values that were chosen by its results.
    Throughputs RunWithOtherSeeds(Scenario scenario, EngineKind engine);

    /**
     * @brief Run the first replication alone and write its trace.
     * @param scenario to run, with one number of workers
     * @param engine that runs it
     * @param messages whether the trace has those of collectives, which are most of it
     * @return path of its trace.json
     * @throws InputError, RunError as Run()
     */
    std::string Record(Scenario scenario, EngineKind engine, bool messages = true);

  private:
    /// @param scenarios to run @param engine that runs them @param jobs runs at the same time
    /// @return their study, with a folder of its own
    std::unique_ptr<Study> MakeStudy(const std::vector<Scenario>& scenarios,
                                     EngineKind engine,
                                     uint32_t jobs);

    TemporaryFolder m_folder; //!< of everything
    uint32_t m_jobs;          //!< runs at the same time
    double m_cpuLimit;        //!< see the constructor
    uint32_t m_runs{0};       //!< so far
};

} // namespace ns3::dml

#endif /* DML_SCRATCH_STUDY_H */
