/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recurrent-speed.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(RecurrentSpeed);

TypeId
RecurrentSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::RecurrentSpeed")
                            .SetParent<NetworkSpeed>()
                            .SetGroupName("Dml")
                            .AddAttribute("LookBack",
                                          "Speeds that a prediction is made from.",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&RecurrentSpeed::m_lookBack),
                                          MakeUintegerChecker<uint32_t>(1, 100));
    return tid;
}

uint32_t
RecurrentSpeed::GetLookBack() const
{
    return m_lookBack;
}

std::vector<double>
RecurrentSpeed::MakeInputs(std::size_t next,
                           [[maybe_unused]] double cpu,
                           [[maybe_unused]] double memory) const
{
    std::vector<double> speeds;
    for (std::size_t step = next - m_lookBack; step < next; ++step)
    {
        speeds.push_back(GetSteps()[step].speed);
    }
    return speeds;
}

} // namespace ns3::dml
