/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shard-units.h"

#include <algorithm>
#include <string>

namespace ns3::dml
{

namespace
{

/// The ops of a profile in the order of their places.
struct OrderedOps
{
    explicit OrderedOps(const Profile& profile)
        : places(FindPlaces(profile.graph)),
          order(places.size()),
          backward(places.size(), false)
    {
        for (OpIndex op = 0; op < places.size(); ++op)
        {
            order[places[op]] = op;
        }
        for (const OpIndex op : order)
        {
            const OpKind kind = profile.graph.Get(op).kind;
            const auto before = profile.graph.GetDependencies(op);
            backward[op] = kind == OpKind::BACKWARD ||
                           (kind == OpKind::COMPUTE &&
                            std::any_of(before.begin(), before.end(), [this](OpIndex other) {
                                return backward[other];
                            }));
        }
    }

    /// @return whether one op comes before another
    bool IsBefore(OpIndex a, OpIndex b) const
    {
        return places[a] < places[b];
    }

    std::vector<uint32_t> places; //!< by op
    std::vector<OpIndex> order;   //!< by place
    std::vector<bool> backward;   //!< by op: of back-propagation, or other work that follows it
};

[[noreturn]] void
RefuseOp(const Profile& profile, OpIndex op, const std::string& found, const std::string& accepted)
{
    throw InputError("op '" + profile.graph.Get(op).name + "' " + found +
                     ": stage 3 cannot be planned; accepted: " + accepted);
}

/// Ops that wait for the pull of a unit.
void
AddDirectUses(const Profile& profile, const OrderedOps& ops, ShardUnit& unit)
{
    if (unit.pull == NO_INDEX)
    {
        RefuseOp(profile,
                 unit.push,
                 "pushes a tensor that is not pulled",
                 "tensors that are pulled too, or stage 1 or 2");
    }
    for (const OpIndex op : profile.graph.GetDependents(unit.pull))
    {
        if (RunsOnDevice(profile.graph.Get(op).kind))
        {
            (ops.backward[op] ? unit.backward : unit.forward).push_back(op);
        }
    }
}

/// What back-propagates between the gradients of a unit and the one before.
void
AddBackPropagation(const Profile& profile, const OrderedOps& ops, std::vector<ShardUnit>& units)
{
    std::vector<ShardUnit*> trained;
    for (auto& unit : units)
    {
        if (unit.push == NO_INDEX)
        {
            continue;
        }
        const OpIndex last = ops.order[unit.generated];
        if (!ops.backward[last])
        {
            RefuseOp(profile,
                     last,
                     "generates the gradient of '" + profile.tensors[unit.tensor].name +
                         "' and is not of kind backward",
                     "profiles whose gradients come from ops of kind backward, or stage 1 or 2");
        }
        trained.push_back(&unit);
    }
    std::stable_sort(trained.begin(), trained.end(), [](const auto* a, const auto* b) {
        return a->generated < b->generated;
    });
    uint32_t begin = 0; // of what no unit before it has
    for (auto unit = trained.begin(); unit != trained.end();)
    {
        const uint32_t end = (*unit)->generated;
        const uint32_t next = end + 1;
        for (; unit != trained.end() && (*unit)->generated == end; ++unit)
        {
            for (uint32_t place = begin; place <= end; ++place)
            {
                if (ops.backward[ops.order[place]])
                {
                    (*unit)->backward.push_back(ops.order[place]);
                }
            }
        }
        begin = next;
    }
}

/// @throws InputError if parameters may be wanted for both directions at a time
void
CheckDirections(const Profile& profile, const OrderedOps& ops, const std::vector<ShardUnit>& units)
{
    OpIndex lastForward = NO_INDEX;
    OpIndex firstBackward = NO_INDEX;
    for (const auto& unit : units)
    {
        if (!unit.forward.empty() &&
            (lastForward == NO_INDEX || ops.IsBefore(lastForward, unit.forward.back())))
        {
            lastForward = unit.forward.back();
        }
        if (!unit.backward.empty() &&
            (firstBackward == NO_INDEX || ops.IsBefore(unit.backward.front(), firstBackward)))
        {
            firstBackward = unit.backward.front();
        }
    }
    if (lastForward != NO_INDEX && firstBackward != NO_INDEX &&
        !ops.IsBefore(lastForward, firstBackward))
    {
        RefuseOp(profile,
                 lastForward,
                 "uses parameters after '" + profile.graph.Get(firstBackward).name +
                     "' has begun to back-propagate",
                 "profiles that back-propagate after forward propagation, or stage 1 or 2");
    }
}

} // namespace

std::vector<ShardUnit>
ListShardUnits(const Profile& profile)
{
    std::vector<ShardUnit> units(profile.tensors.size());
    const auto places = FindPlaces(profile.graph);
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        if (op.kind == OpKind::PULL)
        {
            units[op.tensor].pull = i;
        }
        if (op.kind == OpKind::PUSH)
        {
            units[op.tensor].push = i;
            for (const OpIndex before : profile.graph.GetDependencies(i))
            {
                units[op.tensor].generated = std::max(units[op.tensor].generated, places[before]);
            }
        }
    }
    for (TensorIndex tensor = 0; tensor < units.size(); ++tensor)
    {
        units[tensor].tensor = tensor;
    }
    units.erase(std::remove_if(units.begin(),
                               units.end(),
                               [](const ShardUnit& unit) {
                                   return unit.pull == NO_INDEX && unit.push == NO_INDEX;
                               }),
                units.end());
    return units;
}

void
FindUsesOfUnits(const Profile& profile, std::vector<ShardUnit>& units)
{
    const OrderedOps ops(profile);
    for (auto& unit : units)
    {
        AddDirectUses(profile, ops, unit);
    }
    AddBackPropagation(profile, ops, units);
    for (auto& unit : units)
    {
        for (auto* uses : {&unit.forward, &unit.backward})
        {
            std::sort(uses->begin(), uses->end(), [&ops](OpIndex a, OpIndex b) {
                return ops.IsBefore(a, b);
            });
            uses->erase(std::unique(uses->begin(), uses->end()), uses->end());
        }
    }
    CheckDirections(profile, ops, units);
}

} // namespace ns3::dml
