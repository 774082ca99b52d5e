/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-step-builder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-limits.h"

namespace ns3::dml
{

std::set<TensorIndex>
FindTorchEtChanges(const TorchEtOp& op,
                   const std::vector<TorchEtNode>& nodes,
                   const TorchEtParameters& parameters)
{
    std::set<TensorIndex> changed;
    for (const uint32_t node : op.nodes)
    {
        for (const TorchEtTensor& input : nodes[node].inputs)
        {
            const auto parameter = parameters.byKey.find(GetTorchEtKey(input));
            if (input.isWritten && parameter != parameters.byKey.end())
            {
                changed.insert(parameter->second);
            }
        }
    }
    return changed;
}

std::vector<int64_t>
ShareTorchEtOptimizer(const std::vector<TorchEtOp>& optimizer,
                      const std::vector<TorchEtNode>& nodes,
                      const TorchEtParameters& parameters,
                      const std::vector<TensorIndex>& ready,
                      const std::string& place)
{
    std::vector<int64_t> shares(parameters.tensors.size(), 0);
    const std::set<TensorIndex> all(ready.begin(), ready.end());
    int64_t total = 0;
    for (const TorchEtOp& op : optimizer)
    {
        const int64_t length = op.GetLength();
        if (length > importlimit::LENGTH_NS - total)
        {
            throw InputError(place + ": found more than 1e6 s of the optimizer's operators; "
                                     "accepted is less");
        }
        total += length;
        std::set<TensorIndex> targets;
        for (const TensorIndex changed : FindTorchEtChanges(op, nodes, parameters))
        {
            if (all.count(changed) > 0)
            {
                targets.insert(changed);
            }
        }
        targets = targets.empty() ? all : targets;
        double bytes = 0;
        for (const TensorIndex target : targets)
        {
            bytes += static_cast<double>(parameters.tensors[target].bytes);
        }
        int64_t left = length;
        for (const TensorIndex target : targets)
        {
            // what rounding leaves goes to the last
            const double size = static_cast<double>(parameters.tensors[target].bytes);
            const double part = bytes > 0 ? size / bytes : 0;
            const bool isLast = target == *targets.rbegin();
            const int64_t share = isLast ? left : static_cast<int64_t>(length * part);
            shares[target] += share;
            left -= share;
        }
    }
    return shares;
}

} // namespace ns3::dml
