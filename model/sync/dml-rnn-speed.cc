/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rnn-speed.h"

#include "dml-rnn-model.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(RnnSpeed);

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

uint64_t
RnnSpeed::GetStreamBase() const
{
    return STREAM_BASE;
}

} // namespace ns3::dml
