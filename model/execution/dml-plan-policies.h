/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLAN_POLICIES_H
#define DML_PLAN_POLICIES_H

#include "ns3/dml-step-plan.h"
#include "ns3/dml-transfer-policy.h"
#include "ns3/object-factory.h"

#include <vector>

namespace ns3::dml
{

/**
 * @brief The transfer policies of an executor.
 * @param plan that it runs
 * @param policy makes that of a channel on which it sends listed transfers
 * @return by resource: null where it sends nothing. What collectives send goes first in, first out;
 *         they themselves start in the order of StepPlan::ranks, or as they were agreed on.
 */
std::vector<Ptr<TransferPolicy>> MakePlanPolicies(const StepPlan& plan,
                                                  const ObjectFactory& policy);

} // namespace ns3::dml

#endif /* DML_PLAN_POLICIES_H */
