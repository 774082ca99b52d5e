/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-lstm-speed.h"

#include "dml-lstm-model.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(LstmSpeed);

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

uint64_t
LstmSpeed::GetStreamBase() const
{
    return STREAM_BASE;
}

} // namespace ns3::dml
