/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-policy.h"

namespace ns3
{
namespace dml
{

NS_OBJECT_ENSURE_REGISTERED(TransferPolicy);

TypeId
TransferPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::TransferPolicy").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

} // namespace dml
} // namespace ns3
