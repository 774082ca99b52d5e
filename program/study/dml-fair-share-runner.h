/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAIR_SHARE_RUNNER_H
#define DML_FAIR_SHARE_RUNNER_H

#include "dml-engine-runner.h"

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Runs of the fair-share engine.
 */
class FairShareRunner : public EngineRunner
{
  public:
    void BuildNetwork(const PreparedScenario& prepared, uint32_t workers) const override;
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

#endif /* DML_FAIR_SHARE_RUNNER_H */
