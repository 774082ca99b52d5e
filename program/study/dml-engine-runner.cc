/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-runner.h"

#include "dml-fair-share-runner.h"
#include "dml-host-runner.h"
#include "dml-packet-runner.h"

#include "ns3/dml-error.h"

#include <map>
#include <memory>

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
    static const std::map<EngineKind, std::shared_ptr<const EngineRunner>> runners{
        {EngineKind::FAIR_SHARE, std::make_shared<FairShareRunner>()},
        {EngineKind::PACKET, std::make_shared<PacketRunner>()},
        {EngineKind::HOST, std::make_shared<HostRunner>()},
    };
    return *runners.at(kind);
}

} // namespace ns3::dml
