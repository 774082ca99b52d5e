/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-built-step.h"

#include "dml-tf-step.h"

#include "ns3/dml-error.h"

#include <algorithm>

namespace ns3::dml
{

void
AlignTfStep(TfBuiltStep& step, const std::map<std::string, int64_t>& offsets)
{
    MeasuredStep& measured = step.measured;
    measured.start = step.workerStart;
    measured.end = step.workerEnd;
    for (MeasuredOp& op : measured.ops)
    {
        if (const auto server = step.servers.find(op.name); server != step.servers.end())
        {
            const auto offset = offsets.find(server->second);
            int64_t start = op.start;
            // Checked op by op: a start far from the worker's need not fit into 64 bits.
            if ((offset != offsets.end() &&
                 __builtin_sub_overflow(op.start, offset->second, &start)) ||
                start > measured.end + TfStep::MAX_LENGTH ||
                start < measured.start - TfStep::MAX_LENGTH)
            {
                throw InputError(measured.place + ": found '" + op.name + "' on " + server->second +
                                 " more than 1e6 s from the worker's ops; accepted: a step of at "
                                 "most 1e6 s");
            }
            op.start = start;
        }
        measured.start = std::min(measured.start, op.start);
        measured.end = std::max(measured.end, op.start + op.duration);
        if (measured.end - measured.start > TfStep::MAX_LENGTH)
        {
            throw InputError(measured.place + ": found '" + op.name +
                             "' in a step of more than 1e6 s; accepted: a step of at most 1e6 s");
        }
    }
    std::stable_sort(measured.ops.begin(),
                     measured.ops.end(),
                     [](const MeasuredOp& a, const MeasuredOp& b) { return a.start < b.start; });
}

} // namespace ns3::dml
