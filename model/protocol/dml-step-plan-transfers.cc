/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Transfers by number: ops of the plan, and moves of its collectives.

#include "dml-step-plan.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Between a collective's name and the number of a move.
constexpr char MOVE_MARK = '#';

} // namespace

PlannedTransfer
StepPlan::GetTransfer(OpIndex transfer, uint32_t worker, std::optional<uint64_t> buffer) const
{
    if (!IsMove(transfer))
    {
        const PlannedOp& op = ops[transfer];
        return {op.dispatch == Dispatch::SEND, op.resource, op.bytes, op.counterpart, transfer, 0};
    }
    const uint32_t place = GetCollective(transfer);
    const PlannedCollective& collective = collectives[place];
    const uint32_t number = GetMove(transfer);
    const ScheduledMove& move = collective.schedule->Get(worker).moves[number];
    const auto& channels = move.sends ? collective.sendChannels : collective.receiveChannels;
    return {move.sends,
            channels[move.channel],
            collective.schedule->GetBytes(worker, move, buffer.value_or(ops[collective.op].bytes)),
            GetMoveNumber(place, move.counterpart),
            collective.op,
            1 + (move.sends ? number : move.counterpart)};
}

std::string
StepPlan::GetTransferName(OpIndex transfer, uint32_t worker) const
{
    if (!IsMove(transfer))
    {
        return names[transfer];
    }
    const PlannedTransfer part = GetTransfer(transfer, worker);
    return names[part.op] + MOVE_MARK + std::to_string(part.part - 1);
}

OpIndex
StepPlan::FindSent(const std::string& name) const
{
    const std::size_t mark = name.rfind(MOVE_MARK);
    if (mark == std::string::npos)
    {
        return NO_INDEX;
    }
    const std::string digits = name.substr(mark + 1);
    const auto found =
        std::find_if(collectives.begin(), collectives.end(), [&](const auto& collective) {
            return name.compare(0, mark, names[collective.op]) == 0;
        });
    if (found == collectives.end() || digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
    {
        return NO_INDEX;
    }
    const auto move = static_cast<uint32_t>(std::stoul(digits));
    return move < moves ? GetMoveNumber(found - collectives.begin(), move) : NO_INDEX;
}

uint64_t
StepPlan::CountSentBytes(uint32_t worker) const
{
    uint64_t bytes = 0;
    for (const auto& op : ops)
    {
        bytes += op.dispatch == Dispatch::SEND ? op.bytes : 0;
    }
    for (const auto& collective : collectives)
    {
        for (const auto& move : collective.schedule->Get(worker).moves)
        {
            bytes += move.sends
                         ? collective.schedule->GetBytes(worker, move, ops[collective.op].bytes)
                         : 0;
        }
    }
    return bytes;
}

uint64_t
StepPlan::CountSent(uint32_t worker) const
{
    uint64_t count = std::count_if(ops.begin(), ops.end(), [](const auto& op) {
        return op.dispatch == Dispatch::SEND;
    });
    for (const auto& collective : collectives)
    {
        const auto& own = collective.schedule->Get(worker).moves;
        count += std::count_if(own.begin(), own.end(), [](const auto& move) { return move.sends; });
    }
    return count;
}

} // namespace ns3::dml
