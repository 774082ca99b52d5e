/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-transfers.h"

#include "dml-tf-names.h"
#include "dml-tf-passes.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Find which receives are pulls and pushes, and of what.
void
FindTensors(const TfStep& step,
            const TfGraph& graph,
            const TfUpdates& updates,
            const std::string& worker,
            TfTransfers& transfers)
{
    std::set<std::string> pulled;
    uint32_t others = 0;
    for (uint32_t i = 0; i < step.receives.size(); ++i)
    {
        const TfReceive& receive = step.receives[i];
        if (step.GetMachine(receive) != worker || receive.tensor.empty())
        {
            continue;
        }
        if (!receive.sender.empty() && receive.sender.rfind("/job:ps/", 0) != 0)
        {
            ++others;
            continue;
        }
        transfers.pulls.push_back(i);
        transfers.tensors[i] = graph.FindVariable(receive.sender, receive.tensor);
        pulled.insert(transfers.tensors[i]);
    }
    step.Warn(transfers.warnings,
              others,
              "tensors that the worker received from machines other than a ps are left out");
    std::set<std::string> taken;
    for (const auto& [push, variable] : updates.variables)
    {
        taken.insert(variable);
    }
    uint32_t untied = 0;
    for (const uint32_t push : updates.pushes)
    {
        const std::string& tensor = step.receives[push].tensor;
        const std::string variable(GetTfGradientOf(tensor));
        if (const auto known = updates.variables.find(push); known != updates.variables.end())
        {
            transfers.tensors[push] = known->second;
        }
        else if (pulled.count(variable) > 0 && taken.insert(variable).second)
        {
            transfers.tensors[push] = variable;
            ++transfers.named;
        }
        else
        {
            transfers.tensors[push] = tensor;
            ++untied;
        }
    }
    step.Warn(transfers.warnings,
              untied,
              "tensors were pushed that no update and no name ties to a variable: each is a tensor "
              "of its own");
    transfers.pushes = updates.pushes;
    for (std::vector<uint32_t>* const list : {&transfers.pulls, &transfers.pushes})
    {
        std::sort(list->begin(), list->end(), [&](uint32_t a, uint32_t b) {
            const TfReceive& first = step.receives[a];
            const TfReceive& second = step.receives[b];
            return std::tie(first.start, first.end, first.tensor) <
                   std::tie(second.start, second.end, second.tensor);
        });
    }
}

/// @param unknown names of tensors; @throws InputError that names them all, for --sizes
[[noreturn]] void
RefuseUnknown(const TfStep& step, const std::vector<std::string>& unknown)
{
    std::string others;
    for (std::size_t i = 1; i < unknown.size(); ++i)
    {
        others += (others.empty() ? " and of '" : ", '") + unknown[i] + "'";
    }
    throw InputError(
        step.file + ": found no size of the tensor '" + unknown.front() + "'" + others +
        (step.local ? " (a timeline tells none); accepted: sizes from a profile that "
                      "has it (--sizes PROFILE)"
                    : " (a timeline's RecvTensor tells none); accepted: sizes from a "
                      "profile that has it (--sizes PROFILE), or the rate of the link, "
                      "to estimate them (--rate RATE)"));
}

/// Choose the size of each tensor.
void
FindSizes(const TfStep& step,
          const std::string& worker,
          const ImportOptions& options,
          TfTransfers& transfers)
{
    std::vector<uint64_t> estimates;
    if (options.rate && !step.local)
    {
        estimates = EstimateTfBytes(step, *options.rate);
    }
    // Receives of each tensor, pulls and pushes.
    std::map<std::string, std::vector<uint32_t>> receives;
    for (const auto& [receive, tensor] : transfers.tensors)
    {
        receives[tensor].push_back(receive);
    }
    uint32_t differ = 0;
    std::vector<std::string> unknown;
    for (auto& [tensor, list] : receives)
    {
        // What was pulled is the variable; what was pushed may be less, as a part of its rows.
        std::stable_partition(list.begin(), list.end(), [&](uint32_t i) {
            return step.GetMachine(step.receives[i]) == worker;
        });
        const auto find = [&, &list = list](TfBytes known) {
            return std::find_if(list.begin(), list.end(), [&](uint32_t i) {
                return step.receives[i].known == known;
            });
        };
        const auto exact = find(TfBytes::EXACT);
        const auto rounded = find(TfBytes::ROUNDED);
        const auto given = options.sizes.find(tensor);
        if (exact != list.end())
        {
            transfers.bytes[tensor] = step.receives[*exact].bytes;
            ++transfers.exact;
            const uint64_t bytes = transfers.bytes[tensor];
            differ += std::any_of(list.begin(), list.end(), [&](uint32_t i) {
                return step.receives[i].known == TfBytes::EXACT && step.receives[i].bytes != bytes;
            });
        }
        else if (given != options.sizes.end())
        {
            transfers.bytes[tensor] = given->second;
            ++transfers.given;
        }
        else if (rounded != list.end())
        {
            transfers.bytes[tensor] = step.receives[*rounded].bytes;
            ++transfers.rounded;
        }
        else if (options.rate && !step.local)
        {
            const uint32_t least =
                *std::min_element(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
                    return estimates[a] < estimates[b];
                });
            transfers.bytes[tensor] = estimates[least];
            ++transfers.estimated;
        }
        else
        {
            unknown.push_back(tensor);
        }
    }
    if (!unknown.empty())
    {
        RefuseUnknown(step, unknown);
    }
    step.Warn(transfers.warnings,
              differ,
              "tensors have other sizes pulled than pushed: the size pulled counts");
    step.Warn(transfers.warnings,
              transfers.rounded,
              "tensors have sizes rounded to 0.1 MiB: the trace has no others");
}

/// List transfers as recorded.
void
MakeRecords(const TfStep& step,
            const TfGraph& graph,
            const std::string& worker,
            uint32_t number,
            TfTransfers& transfers)
{
    // First reader of each received tensor, by machine and tensor.
    std::map<std::pair<std::string, std::string>, int64_t> used;
    for (uint32_t i = 0; i < step.ops.size(); ++i)
    {
        const TfOp& op = step.ops[i];
        for (const std::string& input : op.inputs)
        {
            const std::string_view node = StripTfPartition(GetTfNode(input));
            if (graph.FindProducer(input, i) == TfGraph::NONE)
            {
                const auto [first, isNew] =
                    used.emplace(std::make_pair(step.GetMachine(op), node), op.launch);
                first->second = std::min(first->second, op.launch);
            }
        }
    }
    uint32_t tooEarly = 0;
    for (const auto& [i, tensor] : transfers.tensors)
    {
        const TfReceive& receive = step.receives[i];
        RecordedTransfer record;
        record.tensor = tensor;
        record.bytes = transfers.bytes.at(tensor);
        record.downlink = step.GetMachine(receive) == worker;
        record.step = number;
        record.sender = receive.sender;
        record.receiver = step.GetMachine(receive);
        record.start = receive.start;
        record.end = receive.end;
        const uint32_t producer = graph.Find(receive.sender, receive.tensor);
        if (producer != TfGraph::NONE && !receive.guessed)
        {
            record.ready = step.ops[producer].end;
            tooEarly += record.ready > record.end ? 1 : 0;
        }
        const auto reader = used.find({record.receiver, receive.tensor});
        if (reader != used.end())
        {
            record.used = reader->second;
        }
        transfers.records.push_back(std::move(record));
    }
    step.Warn(transfers.warnings,
              tooEarly,
              "transfers ended before their sender had the tensor: the clocks differ");
}

} // namespace

TfTransfers
FindTfTransfers(const TfStep& step,
                const TfGraph& graph,
                const TfUpdates& updates,
                const std::string& worker,
                const ImportOptions& options,
                uint32_t number)
{
    TfTransfers transfers;
    FindTensors(step, graph, updates, worker, transfers);
    FindSizes(step, worker, options, transfers);
    MakeRecords(step, graph, worker, number, transfers);
    return transfers;
}

} // namespace ns3::dml
