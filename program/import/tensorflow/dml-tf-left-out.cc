/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-left-out.h"

#include "dml-tf-names.h"
#include "dml-tf-update-types.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Ops that read a node, by its name.
using TfReaders = std::unordered_map<std::string_view, std::vector<const TfOp*>>;

/// @return an op that works on what @p node makes, or that waits for it, directly or through ops
/// without work; null if there is none
const TfOp*
FindWorkingReader(const TfReaders& readers, std::string_view node)
{
    std::unordered_set<std::string_view> seen{node};
    std::vector<std::string_view> open{node};
    while (!open.empty())
    {
        const auto found = readers.find(open.back());
        open.pop_back();
        if (found == readers.end())
        {
            continue;
        }
        for (const TfOp* const reader : found->second)
        {
            if (!IsTfTransparent(reader->type))
            {
                return reader;
            }
            if (seen.insert(reader->node).second)
            {
                open.push_back(reader->node);
            }
        }
    }
    return nullptr;
}

} // namespace

void
LeaveOutTfRecord(TfStep& step,
                 std::string_view type,
                 std::string_view node,
                 const std::string& error)
{
    step.faults.Add(TraceFault::UNREADABLE, error);
    if (type == "RecvTensor")
    {
        step.leftOut.push_back({"", error + "; the record of a transfer cannot be left out"});
    }
    else if (IsTfUpdate(type))
    {
        step.leftOut.push_back({"", error + "; the record of an update cannot be left out"});
    }
    else if (!node.empty())
    {
        step.leftOut.push_back({std::string(node), error});
    }
}

void
LeaveOutTfRecords(TfStep& step, const TfStep::Mark& from, const std::string& error)
{
    for (std::size_t i = from.receive; i < step.receives.size(); ++i)
    {
        LeaveOutTfRecord(step, "RecvTensor", "", error);
    }
    step.receives.erase(step.receives.begin() + from.receive, step.receives.end());
    std::for_each(step.ops.begin() + from.op, step.ops.end(), [&](const TfOp& op) {
        LeaveOutTfRecord(step, op.type, op.node, error);
    });
    step.ops.erase(step.ops.begin() + from.op, step.ops.end());
}

void
CheckTfLeftOut(const TfStep& step)
{
    if (step.leftOut.empty())
    {
        return;
    }
    TfReaders readers;
    for (const TfOp& op : step.ops)
    {
        for (const std::string& input : op.inputs)
        {
            const std::string_view node = GetTfNode(input);
            const std::string_view maker = StripTfPartition(node);
            readers[node].push_back(&op);
            if (maker != node)
            {
                readers[maker].push_back(&op);
            }
        }
    }
    std::unordered_set<std::string_view> sent;
    for (const TfReceive& receive : step.receives)
    {
        sent.insert(receive.tensor);
    }
    for (const TfLeftOut& record : step.leftOut)
    {
        if (record.node.empty())
        {
            throw InputError(record.error);
        }
        if (sent.count(record.node) > 0)
        {
            throw InputError(record.error + "; the record cannot be left out: what '" +
                             record.node + "' makes is sent to another machine");
        }
        if (const TfOp* const reader = FindWorkingReader(readers, record.node))
        {
            throw InputError(record.error + "; the record cannot be left out: '" + reader->node +
                             "' waits for '" + record.node + "'");
        }
    }
}

} // namespace ns3::dml
