/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-runner.h"

#include "ns3/dml-error.h"

#include <map>

namespace ns3::dml
{

uint32_t
EngineRunner::GetReplications(const Scenario& scenario) const
{
    return scenario.replications;
}

void
EngineRunner::BuildNetwork(const PreparedScenario& prepared, uint32_t workers) const
{
    prepared.GetNetwork(workers);
}

void
EngineRunner::Check(const PreparedScenario& /* prepared */, uint32_t /* workers */) const
{
}

void
EngineRunner::Join(EngineRun /* run */) const
{
    throw RunError("runs of this engine are not split over ranks");
}

const EngineRunner&
GetEngineRunner(EngineKind kind)
{
    static const std::map<EngineKind, const EngineRunner*> runners{
        {EngineKind::FAIR_SHARE, &GetFairShareRunner()},
        {EngineKind::BURST, &GetBurstRunner()},
        {EngineKind::PACKET, &GetPacketRunner()},
        {EngineKind::HOST, &GetHostRunner()},
    };
    return *runners.at(kind);
}

} // namespace ns3::dml
