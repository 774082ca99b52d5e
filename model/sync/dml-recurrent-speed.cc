/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recurrent-speed.h"

#include "dml-lstm-speed.h"
#include "dml-rnn-speed.h"
#include "dml-speed-model.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(RecurrentSpeed);
NS_OBJECT_ENSURE_REGISTERED(RnnSpeed);
NS_OBJECT_ENSURE_REGISTERED(LstmSpeed);

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

TypeId
RnnSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::RnnSpeed")
                            .SetParent<RecurrentSpeed>()
                            .SetGroupName("Dml")
                            .AddConstructor<RnnSpeed>()
                            .AddAttribute("Hidden",
                                          "Units of the recurrent layer.",
                                          UintegerValue(5),
                                          MakeUintegerAccessor(&RnnSpeed::m_hidden),
                                          MakeUintegerChecker<uint32_t>(1, 20));
    return tid;
}

std::unique_ptr<SpeedModel>
RnnSpeed::MakeModel() const
{
    return std::make_unique<RnnModel>(GetLookBack(), m_hidden);
}

TypeId
LstmSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::LstmSpeed")
                            .SetParent<RecurrentSpeed>()
                            .SetGroupName("Dml")
                            .AddConstructor<LstmSpeed>()
                            .AddAttribute("Hidden",
                                          "Units of the recurrent layer.",
                                          UintegerValue(3),
                                          MakeUintegerAccessor(&LstmSpeed::m_hidden),
                                          MakeUintegerChecker<uint32_t>(1, 20));
    return tid;
}

std::unique_ptr<SpeedModel>
LstmSpeed::MakeModel() const
{
    return std::make_unique<LstmModel>(GetLookBack(), m_hidden);
}

} // namespace ns3::dml
