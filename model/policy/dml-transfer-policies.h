/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_POLICIES_H
#define DML_TRANSFER_POLICIES_H

#include "ns3/dml-plugin-kind.h"

namespace ns3::dml
{

/// @return the policies that `transfer.policy` may choose
const PluginKind& TransferPolicies();

/// What a policy does, as far as its settings in a scenario depend on it.
enum class PolicyGroup
{
    ARRIVAL, //!< serves transfers as they become ready
    ORDER,   //!< hands pulls over in an order of its own, and lets another policy serve them
    SLICES,  //!< schedules slices of tensors by priority
    OWN,     //!< one that is chosen by its TypeId
};

/// @param policy a name of TransferPolicies(), or a TypeId @return its group
PolicyGroup GroupOf(const std::string& policy);

} // namespace ns3::dml

#endif /* DML_TRANSFER_POLICIES_H */
