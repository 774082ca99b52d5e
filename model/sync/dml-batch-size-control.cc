/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-batch-size-control.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(BatchSizeControl);

TypeId
BatchSizeControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::BatchSizeControl").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

} // namespace ns3::dml
