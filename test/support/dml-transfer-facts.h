/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_FACTS_H
#define DML_TRANSFER_FACTS_H

#include "ns3/dml-step-plan.h"

#include <map>
#include <string>

namespace ns3::dml
{

/// What tests tell policies of transfers, by the op's name.
struct TransferFacts
{
    std::map<std::string, uint32_t> ranks;   //!< places in an order; none: no order
    std::map<std::string, double> generated; //!< seconds: when pushes are ready; none: unknown

    /// Put them into a plan.
    void Apply(StepPlan& plan) const
    {
        for (OpIndex op = 0; op < plan.ops.size() && !ranks.empty(); ++op)
        {
            const auto rank = ranks.find(plan.names[op]);
            plan.ranks.push_back(rank == ranks.end() ? NO_INDEX : rank->second);
        }
        for (OpIndex op = 0; op < plan.ops.size() && !generated.empty(); ++op)
        {
            const auto time = generated.find(plan.names[op]);
            plan.generated.push_back(time == generated.end() ? -1 : time->second);
        }
    }
};

} // namespace ns3::dml

#endif /* DML_TRANSFER_FACTS_H */
