/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-narx-speed.h"

#include "dml-speed-model.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

namespace
{

/// Of equation 4: two speeds, three shares of the CPU, three of the memory.
constexpr Eigen::Index NARX_INPUTS = 8;

} // namespace

NS_OBJECT_ENSURE_REGISTERED(NarxSpeed);

TypeId
NarxSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::NarxSpeed")
                            .SetParent<NetworkSpeed>()
                            .SetGroupName("Dml")
                            .AddConstructor<NarxSpeed>()
                            .AddAttribute("Hidden",
                                          "Units of the hidden layer.",
                                          UintegerValue(5),
                                          MakeUintegerAccessor(&NarxSpeed::m_hidden),
                                          MakeUintegerChecker<uint32_t>(1, 100));
    return tid;
}

std::unique_ptr<SpeedModel>
NarxSpeed::MakeModel() const
{
    return std::make_unique<FeedforwardModel>(NARX_INPUTS, m_hidden);
}

std::vector<double>
NarxSpeed::MakeInputs(std::size_t next, double cpu, double memory) const
{
    const SpeedStep& last = GetSteps()[next - 1];
    const SpeedStep& before = GetSteps()[next - 2];
    return {last.speed,
            before.speed,
            cpu,
            last.cpu,
            before.cpu,
            memory,
            last.memory,
            before.memory};
}

} // namespace ns3::dml
