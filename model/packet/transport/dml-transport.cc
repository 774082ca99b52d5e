/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transport.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(Transport);

TypeId
Transport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::Transport").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

void
Transport::AnnounceWindow([[maybe_unused]] uint32_t step)
{
}

OpenTurn
Transport::GetOpenTurn() const
{
    return {};
}

void
Transport::SkipSending([[maybe_unused]] uint64_t bytes)
{
}

uint64_t
Transport::GetMissing([[maybe_unused]] int32_t call) const
{
    return 0;
}

void
Transport::SkipReceiving([[maybe_unused]] int32_t call, [[maybe_unused]] uint64_t bytes)
{
}

} // namespace ns3::dml
