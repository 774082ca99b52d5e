/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARING_POLICIES_H
#define DML_SHARING_POLICIES_H

#include "ns3/dml-plugin-kind.h"

namespace ns3::dml
{

/// @return the rules that `fair_share.sharing` may choose; their names are in the order of
/// SharingRule
const PluginKind& SharingPolicies();

} // namespace ns3::dml

#endif /* DML_SHARING_POLICIES_H */
