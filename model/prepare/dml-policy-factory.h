/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_POLICY_FACTORY_H
#define DML_POLICY_FACTORY_H

#include "ns3/dml-scenario.h"
#include "ns3/object-factory.h"

namespace ns3::dml
{

/**
 * @brief What makes the policy of each connection, as a scenario describes it.
 * @param transfer of the scenario
 * @param seed of the run, at least 1
 * @param goodput payload rate of a link in bytes/s: Prophet's estimate before it has measured
 * @return a factory of the policy; an attribute Replication has its default
 */
ObjectFactory MakePolicyFactory(const TransferSpec& transfer, uint32_t seed, double goodput);

} // namespace ns3::dml

#endif /* DML_POLICY_FACTORY_H */
