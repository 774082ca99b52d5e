/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-policy.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(TransferPolicy);

TypeId
TransferPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::TransferPolicy").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

void
TransferPolicy::Prepare([[maybe_unused]] const std::vector<TransferInfo>& transfers,
                        [[maybe_unused]] uint32_t connection,
                        [[maybe_unused]] PolicyClock& clock)
{
}

bool
TransferPolicy::WantsAcknowledgements() const
{
    return false;
}

void
TransferPolicy::Acknowledged([[maybe_unused]] OpIndex transfer)
{
}

} // namespace ns3::dml
