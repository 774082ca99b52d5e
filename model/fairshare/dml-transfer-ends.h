/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_ENDS_H
#define DML_TRANSFER_ENDS_H

#include "ns3/dml-step-executor.h"

namespace ns3::dml
{

/// Where a transfer goes.
struct TransferEnds
{
    uint32_t resource;   //!< its channel
    OpIndex counterpart; //!< number at the other end; NO_INDEX: the same op
};

/// @param executor of one of its ends @param transfer its number there
/// @return what StepExecutor::GetTransfer() says of this, which takes longer: it finds the bytes
inline TransferEnds
FindTransferEnds(const StepExecutor& executor, OpIndex transfer)
{
    const StepPlan& plan = executor.GetPlan();
    if (!plan.IsMove(transfer))
    {
        return {plan.ops[transfer].resource, plan.ops[transfer].counterpart};
    }
    const uint32_t place = plan.GetCollective(transfer);
    const PlannedCollective& collective = plan.collectives[place];
    const ScheduledMove& move =
        collective.schedule->Get(executor.GetWorker()).moves[plan.GetMove(transfer)];
    const auto& channels = move.sends ? collective.sendChannels : collective.receiveChannels;
    return {channels[move.channel], plan.GetMoveNumber(place, move.counterpart)};
}

} // namespace ns3::dml

#endif /* DML_TRANSFER_ENDS_H */
