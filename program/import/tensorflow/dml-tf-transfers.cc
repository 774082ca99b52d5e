/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-transfers.h"

#include "dml-tf-names.h"
#include "dml-tf-receive-matcher.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::dml
{

TfTransfers::TfTransfers(const TfStep& step,
                         const TfGraph& graph,
                         const TfUpdateMatcher& updates,
                         const std::string& worker,
                         const ImportOptions& options)
    : m_step(step),
      m_graph(graph),
      m_updates(updates),
      m_worker(worker),
      m_options(options)
{
    FindVariables();
    FindSizes();
}

std::vector<uint32_t>
TfTransfers::List(bool pulls) const
{
    std::vector<uint32_t> list;
    for (const auto& [receive, tensor] : m_variables)
    {
        if ((m_step.GetMachine(m_step.receives[receive]) == m_worker) == pulls)
        {
            list.push_back(receive);
        }
    }
    std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
        const TfReceive& first = m_step.receives[a];
        const TfReceive& second = m_step.receives[b];
        return std::tie(first.start, first.end, first.tensor) <
               std::tie(second.start, second.end, second.tensor);
    });
    return list;
}

const std::string&
TfTransfers::GetTensor(uint32_t receive) const
{
    return m_variables.at(receive);
}

uint64_t
TfTransfers::GetBytes(const std::string& tensor) const
{
    return m_bytes.at(tensor);
}

void
TfTransfers::FindVariables()
{
    std::set<std::string> pulled;
    uint32_t others = 0;
    for (uint32_t i = 0; i < m_step.receives.size(); ++i)
    {
        const TfReceive& receive = m_step.receives[i];
        if (m_step.GetMachine(receive) != m_worker || receive.tensor.empty())
        {
            continue;
        }
        if (!receive.sender.empty() && receive.sender.rfind("/job:ps/", 0) != 0)
        {
            ++others;
            continue;
        }
        m_variables[i] = m_graph.FindVariable(receive.sender, receive.tensor);
        pulled.insert(m_variables[i]);
    }
    Warn(others, "tensors that the worker received from machines other than a ps are left out");
    const auto pushed = m_updates.FindVariables(pulled, m_counts.named);
    for (const uint32_t push : m_updates.GetPushes())
    {
        const auto known = pushed.find(push);
        m_variables[push] = known != pushed.end() ? known->second : m_step.receives[push].tensor;
    }
    Warn(m_updates.GetPushes().size() - pushed.size(),
         "tensors were pushed that no update and no name ties to a variable: each is a tensor of "
         "its own");
}

void
TfTransfers::FindSizes()
{
    std::vector<uint64_t> estimates;
    if (m_options.rate)
    {
        estimates = EstimateTfBytes(m_step, *m_options.rate);
    }
    // Receives of each tensor, pulls and pushes.
    std::map<std::string, std::vector<uint32_t>> receives;
    for (const auto& [receive, tensor] : m_variables)
    {
        receives[tensor].push_back(receive);
    }
    uint32_t differ = 0;
    for (auto& [tensor, list] : receives)
    {
        // What was pulled is the variable; what was pushed may be less, as a part of its rows.
        std::stable_partition(list.begin(), list.end(), [&](uint32_t i) {
            return m_step.GetMachine(m_step.receives[i]) == m_worker;
        });
        const auto find = [this, &list = list](TfBytes known) {
            return std::find_if(list.begin(), list.end(), [&](uint32_t i) {
                return m_step.receives[i].known == known;
            });
        };
        const auto exact = find(TfBytes::EXACT);
        const auto rounded = find(TfBytes::ROUNDED);
        const auto given = m_options.sizes.find(tensor);
        if (exact != list.end())
        {
            m_bytes[tensor] = m_step.receives[*exact].bytes;
            ++m_counts.exact;
            const uint64_t bytes = m_bytes[tensor];
            differ += std::any_of(list.begin(), list.end(), [this, bytes](uint32_t i) {
                return m_step.receives[i].known == TfBytes::EXACT &&
                       m_step.receives[i].bytes != bytes;
            });
        }
        else if (given != m_options.sizes.end())
        {
            m_bytes[tensor] = given->second;
            ++m_counts.given;
        }
        else if (rounded != list.end())
        {
            m_bytes[tensor] = m_step.receives[*rounded].bytes;
            ++m_counts.rounded;
        }
        else if (m_options.rate)
        {
            const uint32_t least =
                *std::min_element(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
                    return estimates[a] < estimates[b];
                });
            m_bytes[tensor] = estimates[least];
            ++m_counts.estimated;
        }
        else
        {
            throw InputError(m_step.file + ": found no size of the tensor '" + tensor +
                             "' (a timeline's RecvTensor tells none); accepted: sizes from a "
                             "profile that has it (--sizes PROFILE), or the rate of the link, to "
                             "estimate them (--rate RATE)");
        }
    }
    Warn(differ, "tensors have other sizes pulled than pushed: the size pulled counts");
    Warn(m_counts.rounded, "tensors have sizes rounded to 0.1 MiB: the trace has no others");
}

std::vector<RecordedTransfer>
TfTransfers::MakeRecords(uint32_t number)
{
    std::vector<RecordedTransfer> records;
    // First reader of each received tensor, by machine and tensor.
    std::map<std::pair<std::string, std::string>, int64_t> used;
    for (uint32_t i = 0; i < m_step.ops.size(); ++i)
    {
        const TfOp& op = m_step.ops[i];
        for (const std::string& input : op.inputs)
        {
            const std::string_view node = StripTfPartition(GetTfNode(input));
            if (m_graph.FindProducer(input, i) == TfGraph::NONE)
            {
                const auto [first, isNew] =
                    used.emplace(std::make_pair(m_step.GetMachine(op), node), op.launch);
                first->second = std::min(first->second, op.launch);
            }
        }
    }
    uint32_t tooEarly = 0;
    for (const auto& [i, tensor] : m_variables)
    {
        const TfReceive& receive = m_step.receives[i];
        RecordedTransfer record;
        record.tensor = tensor;
        record.bytes = m_bytes[tensor];
        record.downlink = m_step.GetMachine(receive) == m_worker;
        record.step = number;
        record.sender = receive.sender;
        record.receiver = m_step.GetMachine(receive);
        record.start = receive.start;
        record.end = receive.end;
        const uint32_t producer = m_graph.Find(receive.sender, receive.tensor);
        if (producer != TfGraph::NONE && !receive.guessed)
        {
            record.ready = m_step.ops[producer].end;
            tooEarly += record.ready > record.end ? 1 : 0;
        }
        const auto reader = used.find({record.receiver, receive.tensor});
        if (reader != used.end())
        {
            record.used = reader->second;
        }
        records.push_back(std::move(record));
    }
    Warn(tooEarly, "transfers ended before their sender had the tensor: the clocks differ");
    return records;
}

void
TfTransfers::Warn(uint32_t count, const std::string& text)
{
    if (count > 0)
    {
        m_warnings.push_back(m_step.file + ": " + std::to_string(count) + " " + text);
    }
}

} // namespace ns3::dml
