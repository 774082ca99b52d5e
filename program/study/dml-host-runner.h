/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_RUNNER_H
#define DML_HOST_RUNNER_H

#include "dml-engine-runner.h"

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Runs of the host engine: real processes on this machine, in real time.
 */
class HostRunner : public EngineRunner
{
  public:
    /// @param scenario of a study @return host.replications, or replications if that is 0
    uint32_t GetReplications(const Scenario& scenario) const override;
    void Check(const PreparedScenario& prepared, uint32_t workers) const override;
    /// The run has the machine for itself, so its CPU seconds are those on the clock.
    RunCost EstimateCost(const PreparedScenario& prepared,
                         const StudyCase& studyCase) const override;
    std::string Describe(const PreparedScenario& prepared, uint32_t ranks) const override;
    std::string DescribeSpent(const PreparedScenario& first,
                              const EngineSpent& spent,
                              bool sweep) const override;
    void Run(EngineRun run,
             RunObserver& observer,
             const RunControl& control,
             ReplicationSummary& summary) const override;
};

} // namespace ns3::dml

#endif /* DML_HOST_RUNNER_H */
