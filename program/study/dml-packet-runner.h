/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PACKET_RUNNER_H
#define DML_PACKET_RUNNER_H

#include "dml-engine-runner.h"

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Runs of the packet engine.
 */
class PacketRunner : public EngineRunner
{
  public:
    /// @param scenario of a study @return packet.replications, or replications if that is 0
    uint32_t GetReplications(const Scenario& scenario) const override;
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
    void Join(EngineRun run) const override;
};

} // namespace ns3::dml

#endif /* DML_PACKET_RUNNER_H */
