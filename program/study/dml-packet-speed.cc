/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-speed.h"

#include "dml-process-pool.h"
#include "dml-stopwatch.h"

#include "ns3/dml-goodput.h"
#include "ns3/dml-lone-flow.h"

#include <map>
#include <string>
#include <tuple>

namespace ns3::dml
{

namespace
{

constexpr uint64_t SEGMENTS = 2500; //!< of the flow

} // namespace

FlowSpeed
MeasureFlowSpeed(const NetworkSpec& spec)
{
    const TcpSpec& tcp = spec.tcp;
    auto key =
        std::tuple(spec.mtu, tcp.variant, tcp.gso, tcp.trains, tcp.timestamps, tcp.IsPlain());
    static std::map<decltype(key), FlowSpeed> known;
    const auto [it, isNew] = known.try_emplace(key);
    FlowSpeed& speed = it->second;
    if (isNew)
    {
        const uint64_t bytes = SEGMENTS * GetWireFormat(spec.mtu, tcp.timestamps).segment;
        speed.segments = SEGMENTS;
        // the simulator is a global object, and not to be left with traces of this
        ProcessPool(1).Run(
            1,
            [&](uint32_t, const auto&) {
                const Stopwatch watch;
                SimulateLoneFlow(tcp, spec.mtu, bytes);
                return std::to_string(watch.GetCpuSeconds());
            },
            [&](const ProcessPool::Result& result) {
                speed.seconds = result.failure == 0 ? std::stod(result.text) : 0;
            },
            {});
    }
    return speed;
}

} // namespace ns3::dml
