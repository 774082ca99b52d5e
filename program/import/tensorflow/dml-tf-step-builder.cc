/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-step-builder.h"

#include "dml-tf-device-order.h"
#include "dml-tf-names.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace ns3::dml
{

namespace
{

std::string
PrintMs(double ns)
{
    std::string text = std::to_string(ns / 1e6);
    return text.substr(0, text.size() - 3) + " ms";
}

} // namespace

TfStepBuilder::TfStepBuilder(const TfStep& step,
                             const std::string& worker,
                             const ImportOptions& options,
                             uint32_t number)
    : m_step(step),
      m_worker(worker),
      m_options(options),
      m_number(number),
      m_graph(step),
      m_updates(step, m_graph, worker),
      m_transfers(step, m_graph, m_updates, worker, options)
{
}

TfBuiltStep
TfStepBuilder::Build()
{
    AddPulls();
    AddCompute();
    AddPushes();
    AddUpdates();
    m_built.transfers = m_transfers.MakeRecords(m_number);
    const auto& warnings = m_transfers.GetWarnings();
    m_built.warnings.insert(m_built.warnings.end(), warnings.begin(), warnings.end());
    m_built.measured.place = m_step.file;
    m_built.slots = FindTfDeviceSlots(m_built.measured);
    if (m_options.order == ComputeOrder::MEASURED)
    {
        AddTfDeviceOrder(m_built.measured, m_built.slots);
    }
    AddRules();
    return std::move(m_built);
}

std::string
TfStepBuilder::MakeName(const std::string& name)
{
    std::string unique = name;
    for (uint32_t& n = m_executions[name]; !m_names.insert(unique).second;)
    {
        n = std::max(n + 1, 2u);
        unique = name + "(" + std::to_string(n) + ")";
    }
    return unique;
}

void
TfStepBuilder::AddPulls()
{
    std::map<std::string, std::size_t> known; // tensor -> its pull
    for (const uint32_t i : m_transfers.List(true))
    {
        const TfReceive& receive = m_step.receives[i];
        const std::string& tensor = m_transfers.GetTensor(i);
        const auto [pull, isNew] = known.emplace(tensor, m_built.measured.ops.size());
        if (isNew)
        {
            m_built.tensors.push_back({tensor, m_transfers.GetBytes(tensor)});
            m_built.measured.ops.push_back({MakeName("pull/" + tensor),
                                            OpKind::PULL,
                                            "",
                                            tensor,
                                            {},
                                            receive.start,
                                            receive.end - receive.start});
        }
        else
        {
            MeasuredOp& op = m_built.measured.ops[pull->second];
            op.duration = std::max(op.start + op.duration, receive.end) - op.start;
            ++m_counts.merged;
        }
        m_transferOps[i] = m_built.measured.ops[pull->second].name;
        m_pulled[receive.tensor] = m_transferOps[i];
    }
}

std::vector<std::string>
TfStepBuilder::FindDeps(uint32_t reader)
{
    std::vector<std::string> deps;
    std::unordered_set<std::string> known;
    std::unordered_set<uint32_t> seen{reader};
    std::vector<uint32_t> open{reader};
    while (!open.empty())
    {
        const uint32_t current = open.back();
        open.pop_back();
        for (const std::string& input : m_step.ops[current].inputs)
        {
            const uint32_t producer = m_graph.FindProducer(input, current);
            std::string dep;
            if (producer == TfGraph::NONE)
            {
                const auto pull = m_pulled.find(std::string(StripTfPartition(GetTfNode(input))));
                m_counts.unrecorded += pull == m_pulled.end() ? 1 : 0;
                dep = pull != m_pulled.end() ? pull->second : "";
            }
            else if (m_step.ops[producer].launch > m_step.ops[reader].launch || producer == reader)
            {
                ++m_counts.later;
            }
            else if (const auto op = m_computeOps.find(producer); op != m_computeOps.end())
            {
                dep = op->second;
                if (const auto port = GetTfPort(input))
                {
                    m_reads.push_back({reader, producer, *port});
                }
            }
            else if (seen.insert(producer).second)
            {
                open.push_back(producer);
            }
            if (!dep.empty() && known.insert(dep).second)
            {
                deps.push_back(dep);
            }
        }
    }
    m_counts.deps += deps.size();
    return deps;
}

void
TfStepBuilder::AddCompute()
{
    std::vector<uint32_t>& ops = m_computed;
    for (uint32_t i = 0; i < m_step.ops.size(); ++i)
    {
        const TfOp& op = m_step.ops[i];
        if (m_step.GetMachine(op) != m_worker)
        {
            continue;
        }
        m_built.workerStart = std::min(m_built.workerStart, op.start);
        m_built.workerEnd = std::max(m_built.workerEnd, op.end);
        if (IsTfTransparent(op.type))
        {
            ++m_counts.empty;
            m_counts.emptyTime += op.end - op.start;
            continue;
        }
        ops.push_back(i);
    }
    if (ops.empty())
    {
        throw InputError(m_step.file + ": found no op of " + m_worker +
                         " that does any work; accepted: a trace of a training step");
    }
    std::sort(ops.begin(), ops.end(), [&](uint32_t a, uint32_t b) {
        const TfOp& first = m_step.ops[a];
        const TfOp& second = m_step.ops[b];
        return std::tie(first.start, first.end, first.launch, first.node) <
               std::tie(second.start, second.end, second.launch, second.node);
    });
    for (const uint32_t i : ops)
    {
        m_computeOps[i] = MakeName(m_step.ops[i].node);
    }
    for (const uint32_t i : ops)
    {
        const TfOp& op = m_step.ops[i];
        m_built.measured.ops.push_back({m_computeOps[i],
                                        OpKind::FORWARD,
                                        m_step.devices[op.device].local,
                                        "",
                                        FindDeps(i),
                                        op.start,
                                        op.end - op.start});
    }
    FindKinds();
    SetMemory();
}

void
TfStepBuilder::FindKinds()
{
    std::unordered_map<std::string, std::vector<MeasuredOp*>> readers;
    std::vector<MeasuredOp*> open;
    for (MeasuredOp& op : m_built.measured.ops)
    {
        for (const std::string& dep : op.deps)
        {
            readers[dep].push_back(&op);
        }
        if (op.kind == OpKind::FORWARD && IsTfBackward(op.name))
        {
            op.kind = OpKind::BACKWARD;
            open.push_back(&op);
        }
    }
    while (!open.empty())
    {
        const MeasuredOp* const before = open.back();
        open.pop_back();
        for (MeasuredOp* const reader : readers[before->name])
        {
            if (reader->kind == OpKind::FORWARD)
            {
                reader->kind = OpKind::COMPUTE;
                open.push_back(reader);
            }
        }
    }
}

void
TfStepBuilder::SetMemory()
{
    std::set<uint32_t> pushed; // ops that make gradients
    for (const uint32_t i : m_transfers.List(false))
    {
        pushed.insert(m_graph.Find(m_worker, m_step.receives[i].tensor));
    }
    std::unordered_map<std::string, MeasuredOp*> built;
    for (MeasuredOp& op : m_built.measured.ops)
    {
        built[op.name] = &op;
    }
    std::vector<TfWork> works;
    for (const uint32_t op : m_computed)
    {
        works.push_back({op, built.at(m_computeOps.at(op))->kind, pushed.count(op) > 0});
    }
    uint32_t unread = 0; // ops with outputs
    const std::vector<OpMemory> memory = FindTfMemory(m_step, works, m_reads);
    for (std::size_t i = 0; i < works.size(); ++i)
    {
        built.at(m_computeOps.at(works[i].op))->memory = memory[i];
        m_counts.kept += memory[i].activation;
        unread += m_step.ops[works[i].op].outputs.empty() ? 0 : 1;
    }
    Warn(m_counts.kept == 0 ? unread : 0,
         "ops have outputs of known size, but no backward op reads one of a forward op: what is "
         "kept is not known");
}

void
TfStepBuilder::AddPushes()
{
    std::set<std::string> known; // tensors that have a push
    for (const Tensor& tensor : m_built.tensors)
    {
        known.insert(tensor.name);
    }
    std::map<std::string, std::string> pushed; // tensor -> its push
    uint32_t unmade = 0;
    for (const uint32_t i : m_transfers.List(false))
    {
        const TfReceive& receive = m_step.receives[i];
        const std::string& tensor = m_transfers.GetTensor(i);
        if (known.insert(tensor).second)
        {
            m_built.tensors.push_back({tensor, m_transfers.GetBytes(tensor)});
        }
        const auto [push, isNew] = pushed.emplace(tensor, "");
        if (!isNew)
        {
            // The same tensor sent to two servers, or twice.
            m_transferOps[i] = push->second;
            ++m_counts.merged;
            continue;
        }
        push->second = MakeName("push/" + tensor);
        m_built.servers[push->second] = m_step.GetMachine(receive);
        m_transferOps[i] = push->second;
        MeasuredOp op{push->second,
                      OpKind::PUSH,
                      "",
                      tensor,
                      {},
                      receive.start,
                      receive.end - receive.start};
        const uint32_t producer = m_graph.Find(m_worker, receive.tensor);
        if (const auto made = m_computeOps.find(producer); made != m_computeOps.end())
        {
            op.deps.push_back(made->second);
        }
        else
        {
            ++unmade;
        }
        m_built.measured.ops.push_back(std::move(op));
    }
    Warn(unmade, "pushes wait for nothing: the op that makes the gradient was not recorded");
}

void
TfStepBuilder::AddUpdates()
{
    std::set<std::string> known;
    for (const Tensor& tensor : m_built.tensors)
    {
        known.insert(tensor.name);
    }
    uint32_t unknown = 0;
    for (const auto& [variable, update] : m_updates.GetUpdates())
    {
        if (known.count(variable) == 0)
        {
            ++unknown;
            continue;
        }
        MeasuredOp op{MakeName("update/" + variable),
                      OpKind::UPDATE,
                      "",
                      variable,
                      {},
                      update.start,
                      update.duration};
        std::set<std::string> deps;
        for (const uint32_t receive : update.receives)
        {
            m_built.servers[op.name] = m_step.GetMachine(m_step.receives[receive]);
            deps.insert(m_transferOps.at(receive));
        }
        op.deps.assign(deps.begin(), deps.end());
        m_built.measured.ops.push_back(std::move(op));
    }
    Warn(unknown, "updates of variables that were neither pulled nor pushed are left out");
    const std::set<uint32_t>& used = m_updates.GetOps();
    for (uint32_t i = 0; i < m_step.ops.size(); ++i)
    {
        if (m_step.devices[m_step.ops[i].device].IsServer() && used.count(i) == 0)
        {
            ++m_counts.server;
            m_counts.serverTime += m_step.ops[i].end - m_step.ops[i].start;
        }
    }
}

void
TfStepBuilder::Warn(uint32_t count, const std::string& text)
{
    if (count > 0)
    {
        m_built.warnings.push_back(m_step.file + ": " + std::to_string(count) + " " + text);
    }
}

void
TfStepBuilder::AddRules()
{
    const TfTransfers::Counts& transfers = m_transfers.GetCounts();
    std::map<OpKind, uint32_t> kinds;
    for (const MeasuredOp& op : m_built.measured.ops)
    {
        ++kinds[op.kind];
    }
    const auto print = [](uint64_t number) { return std::to_string(number); };
    std::vector<std::string>& rules = m_built.rules;
    rules.push_back("step: one session.run, from the worker's first record to the last one of the "
                    "worker, its transfers and updates");
    rules.push_back("kinds: backward are ops in a scope gradients or gradients_<n> (" +
                    print(kinds[OpKind::BACKWARD]) + "), compute are others that wait for one (" +
                    print(kinds[OpKind::COMPUTE]) + "), all others are forward (" +
                    print(kinds[OpKind::FORWARD]) + ")");
    rules.push_back(
        "dependencies: inputs of ops without the partitioner's suffixes _S<n> and /_<n> (" +
        print(m_counts.deps) +
        "); inputs without a record, as constants and feeds, are "
        "ignored (" +
        print(m_counts.unrecorded) + ")");
    rules.push_back("pull: a RecvTensor of the worker, named after the variable that it reads (" +
                    print(kinds[OpKind::PULL]) + "); a variable received more than once is one (" +
                    print(m_counts.merged) + " more)");
    rules.push_back("push: a RecvTensor of a ps, named after the variable of the update that reads "
                    "it, or else by its name gradients/<variable>_grad (" +
                    print(kinds[OpKind::PUSH]) + ", of these by name " + print(transfers.named) +
                    ")");
    rules.push_back(
        "update: ops Apply..., Assign... and Scatter... of a ps that wait for a push (" +
        print(kinds[OpKind::UPDATE]) + ")");
    rules.push_back("sizes: recorded bytes (" + print(transfers.exact) + "), given (" +
                    print(transfers.given) + "), recorded to 0.1 MiB (" + print(transfers.rounded) +
                    "), estimated from times and the rate of the link, the smaller one of pull and "
                    "push (" +
                    print(transfers.estimated) + ")");
    if (m_counts.kept > 0)
    {
        rules.push_back("memory: a backward op keeps the outputs of forward ops that it reads (" +
                        print(m_counts.kept) +
                        " bytes), in place ones once; workspace is temporary memory and outputs "
                        "that nothing keeps, of an op and of what it reads");
    }
    rules.push_back("left out: " + print(m_counts.empty) +
                    " ops of the worker without work, as NoOp (" + PrintMs(m_counts.emptyTime) +
                    " in sum), and " + print(m_counts.server) +
                    " ops of ps that apply no gradient, as reads of variables (" +
                    PrintMs(m_counts.serverTime) + " in sum)");
    Warn(m_counts.later, "inputs are ignored whose op started after their reader (loops)");
    if (kinds[OpKind::UPDATE] == 0)
    {
        m_built.warnings.push_back(m_step.file + ": no update on a ps waits for a push of " +
                                   m_worker + ": this is no training step with parameter servers");
    }
    for (const auto& [device, slots] : m_built.slots)
    {
        rules.push_back("slots: " + device + " has " + print(slots) +
                        ", more ops ran at the same time in less than 1 % of its busy time");
    }
}

} // namespace ns3::dml
