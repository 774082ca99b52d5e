/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-step-builder.h"

#include "dml-tf-device-order.h"
#include "dml-tf-graph.h"
#include "dml-tf-names.h"
#include "dml-tf-step-memory.h"
#include "dml-tf-transfers.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>
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

/// Makes a step.
class TfStepBuilder
{
  public:
    TfStepBuilder(const TfStep& step,
                  const std::string& worker,
                  const ImportOptions& options,
                  uint32_t number)
        : m_step(step),
          m_worker(worker),
          m_options(options),
          m_graph(step),
          m_updates(FindTfUpdates(step, m_graph, worker)),
          m_transfers(FindTfTransfers(step, m_graph, m_updates, worker, options, number))
    {
    }

    TfBuiltStep Build()
    {
        AddPulls();
        AddCompute();
        AddPushes();
        AddUpdates();
        if (!m_step.local)
        {
            m_built.transfers = std::move(m_transfers.records);
        }
        const auto& warnings = m_transfers.warnings;
        m_built.warnings.insert(m_built.warnings.end(), warnings.begin(), warnings.end());
        m_built.local = m_step.local;
        m_built.measured.place = m_step.file;
        m_built.slots = OrderTfDevices(m_built.measured, m_options.order);
        AddRules();
        return std::move(m_built);
    }

  private:
    /// What of the worker's ops waits for an input, in the numbers that rules print.
    struct Counts
    {
        uint32_t deps{0};       //!< dependencies found
        uint32_t unrecorded{0}; //!< inputs without a record
        uint32_t later{0};      //!< inputs whose maker started later
        uint32_t empty{0};      //!< ops without work
        double emptyTime{0};    //!< ns
        uint32_t server{0};     //!< ops of servers left out
        double serverTime{0};   //!< ns
        uint32_t merged{0};     //!< pulls of a variable that was pulled already
        uint64_t kept{0};       //!< bytes for backward ops
    };

    void Warn(uint32_t count, const std::string& text)
    {
        m_step.Warn(m_built.warnings, count, text);
    }

    /// @return @p name, made unique with "(2)" and so on
    std::string MakeName(const std::string& name)
    {
        std::string unique = name;
        for (uint32_t& n = m_executions[name]; !m_names.insert(unique).second;)
        {
            n = std::max(n + 1, 2u);
            unique = name + "(" + std::to_string(n) + ")";
        }
        return unique;
    }

    /**
     * Add a pull or a push, unless there is one of its tensor.
     * @param i index of the receive
     * @param kind of the op
     * @return the op
     */
    MeasuredOp& AddTransfer(uint32_t i, OpKind kind)
    {
        const TfReceive& receive = m_step.receives[i];
        const std::string& tensor = m_transfers.tensors.at(i);
        if (m_tensors.insert(tensor).second)
        {
            m_built.tensors.push_back({tensor, m_transfers.bytes.at(tensor)});
        }
        const auto [place, isNew] = m_places.emplace(std::make_pair(kind, tensor), m_ops.size());
        if (isNew)
        {
            m_ops.push_back({MakeName(std::string(ToString(kind)) + "/" + tensor),
                             kind,
                             "",
                             tensor,
                             {},
                             receive.start,
                             receive.end - receive.start});
        }
        else
        {
            ++m_counts.merged;
        }
        MeasuredOp& op = m_ops[place->second];
        m_transferOps[i] = op.name;
        return op;
    }

    void AddPulls()
    {
        for (const uint32_t i : m_transfers.pulls)
        {
            const TfReceive& receive = m_step.receives[i];
            MeasuredOp& op = AddTransfer(i, OpKind::PULL);
            op.duration = std::max(op.start + op.duration, receive.end) - op.start;
            m_pulled[receive.tensor] = op.name;
        }
    }

    /// @param reader op of the worker; @return names of ops that it waits for
    std::vector<std::string> FindDeps(uint32_t reader)
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
                    const auto pull =
                        m_pulled.find(std::string(StripTfPartition(GetTfNode(input))));
                    m_counts.unrecorded += pull == m_pulled.end() ? 1 : 0;
                    dep = pull != m_pulled.end() ? pull->second : "";
                }
                else if (m_step.ops[producer].launch > m_step.ops[reader].launch ||
                         producer == reader)
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

    void AddCompute()
    {
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
            m_computed.push_back(i);
        }
        if (m_computed.empty())
        {
            throw InputError(m_step.file + ": found no op of " + m_worker +
                             " that does any work; accepted: a trace of a training step");
        }
        std::sort(m_computed.begin(), m_computed.end(), [&](uint32_t a, uint32_t b) {
            const TfOp& first = m_step.ops[a];
            const TfOp& second = m_step.ops[b];
            return std::tie(first.start, first.end, first.launch, first.node) <
                   std::tie(second.start, second.end, second.launch, second.node);
        });
        for (const uint32_t i : m_computed)
        {
            m_computeOps[i] = MakeName(m_step.ops[i].node);
        }
        m_firstComputed = m_ops.size();
        for (const uint32_t i : m_computed)
        {
            const TfOp& op = m_step.ops[i];
            m_ops.push_back({m_computeOps[i],
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

    /// Set kinds of compute ops.
    void FindKinds()
    {
        std::unordered_map<std::string, std::vector<MeasuredOp*>> readers;
        std::vector<MeasuredOp*> open;
        for (MeasuredOp& op : m_ops)
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

    /// Set what compute ops hold.
    void SetMemory()
    {
        std::set<uint32_t> pushed; // ops that make gradients
        for (const uint32_t i : m_transfers.pushes)
        {
            pushed.insert(m_graph.Find(m_worker, m_step.receives[i].tensor));
        }
        std::vector<TfWork> works;
        for (std::size_t i = 0; i < m_computed.size(); ++i)
        {
            const uint32_t op = m_computed[i];
            works.push_back({op, m_ops[m_firstComputed + i].kind, pushed.count(op) > 0});
        }
        uint32_t unread = 0; // ops with outputs
        const std::vector<OpMemory> memory = FindTfMemory(m_step, works, m_reads);
        for (std::size_t i = 0; i < works.size(); ++i)
        {
            m_ops[m_firstComputed + i].memory = memory[i];
            m_counts.kept += memory[i].activation;
            unread += m_step.ops[works[i].op].outputs.empty() ? 0 : 1;
        }
        Warn(m_counts.kept == 0 ? unread : 0,
             "ops have outputs of known size, but no backward op reads one of a forward op: what "
             "is kept is not known");
    }

    void AddPushes()
    {
        uint32_t unmade = 0;
        for (const uint32_t i : m_transfers.pushes)
        {
            const TfReceive& receive = m_step.receives[i];
            const std::size_t before = m_ops.size();
            MeasuredOp& op = AddTransfer(i, OpKind::PUSH);
            if (m_ops.size() == before)
            {
                continue; // the same tensor sent to two servers, or twice
            }
            m_built.servers[op.name] = m_step.GetMachine(receive);
            const uint32_t producer = m_graph.Find(m_worker, receive.tensor);
            if (const auto made = m_computeOps.find(producer); made != m_computeOps.end())
            {
                op.deps.push_back(made->second);
            }
            else
            {
                ++unmade;
            }
        }
        Warn(unmade, "pushes wait for nothing: the op that makes the gradient was not recorded");
    }

    void AddUpdates()
    {
        uint32_t unknown = 0;
        for (const auto& [variable, update] : m_updates.updates)
        {
            if (m_tensors.count(variable) == 0)
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
            m_ops.push_back(std::move(op));
        }
        Warn(unknown, "updates of variables that were neither pulled nor pushed are left out");
        for (uint32_t i = 0; i < m_step.ops.size(); ++i)
        {
            if (m_step.devices[m_step.ops[i].device].IsServer() && m_updates.ops.count(i) == 0)
            {
                ++m_counts.server;
                m_counts.serverTime += m_step.ops[i].end - m_step.ops[i].start;
            }
        }
    }

    void AddRules()
    {
        std::map<OpKind, uint32_t> kinds;
        for (const MeasuredOp& op : m_ops)
        {
            ++kinds[op.kind];
        }
        m_built.rules = {
            "step: one session.run, from the worker's first record to the last one of the worker, "
            "its transfers and updates",
            fmt::format("kinds: backward are ops in a scope gradients or gradients_<n> ({}), "
                        "compute are others that wait for one ({}), all others are forward ({})",
                        kinds[OpKind::BACKWARD],
                        kinds[OpKind::COMPUTE],
                        kinds[OpKind::FORWARD]),
            fmt::format("dependencies: inputs of ops without the partitioner's suffixes _S<n> and "
                        "/_<n> ({}); inputs without a record, as constants and feeds, are ignored "
                        "({})",
                        m_counts.deps,
                        m_counts.unrecorded),
            fmt::format("pull: {}, named after the variable that it reads ({}); a variable {} more "
                        "than once is one ({} more)",
                        m_step.local ? "what the worker reads" : "a RecvTensor of the worker",
                        kinds[OpKind::PULL],
                        m_step.local ? "read" : "received",
                        m_counts.merged),
            fmt::format("push: {}, named after the variable of the update that reads it, or else "
                        "by its name gradients/<variable>_grad ({}, of these by name {})",
                        m_step.local ? "a gradient that is applied" : "a RecvTensor of a ps",
                        kinds[OpKind::PUSH],
                        m_transfers.named),
            m_step.local
                ? fmt::format("update: ops Apply... ({})", kinds[OpKind::UPDATE])
                : fmt::format("update: ops Apply..., Assign... and Scatter... of a ps that "
                              "wait for a push ({})",
                              kinds[OpKind::UPDATE]),
            fmt::format("sizes: recorded bytes ({}), given ({}), recorded to 0.1 MiB ({}), "
                        "estimated from times and the rate of the link, the smaller one of pull "
                        "and push ({})",
                        m_transfers.exact,
                        m_transfers.given,
                        m_transfers.rounded,
                        m_transfers.estimated)};
        std::vector<std::string>& rules = m_built.rules;
        if (m_counts.kept > 0)
        {
            rules.push_back(
                fmt::format("memory: a backward op keeps the outputs of forward ops that it reads "
                            "({} bytes), in place ones once; workspace is temporary memory and "
                            "outputs that nothing keeps, of an op and of what it reads",
                            m_counts.kept));
        }
        rules.push_back(fmt::format(
            "left out: {} ops of the worker without work, as NoOp ({} in sum), and {} ops "
            "of ps that apply no gradient, as reads of variables ({} in sum)",
            m_counts.empty,
            PrintMs(m_counts.emptyTime),
            m_counts.server,
            PrintMs(m_counts.serverTime)));
        Warn(m_counts.later, "inputs are ignored whose op started after their reader (loops)");
        if (kinds[OpKind::UPDATE] == 0)
        {
            m_built.warnings.push_back(m_step.file + ": no update on a ps waits for a push of " +
                                       m_worker +
                                       ": this is no training step with parameter servers");
        }
        for (const auto& [device, slots] : m_built.slots)
        {
            rules.push_back(fmt::format("slots: {} has {}, more ops ran at the same time in less "
                                        "than 1 % of its busy time",
                                        device,
                                        slots));
        }
    }

    const TfStep& m_step;                         //!< all records
    const std::string& m_worker;                  //!< name of the worker
    const ImportOptions& m_options;               //!< the user's choices
    TfGraph m_graph;                              //!< ops and what they make
    TfUpdates m_updates;                          //!< pushes and updates
    TfTransfers m_transfers;                      //!< tensors and sizes
    std::map<std::string, uint32_t> m_executions; //!< ops so far that have one name
    std::set<std::string> m_names;                //!< names of ops
    std::set<std::string> m_tensors;              //!< names of tensors
    std::map<std::pair<OpKind, std::string>, std::size_t> m_places; //!< of pulls and pushes
    std::map<std::string, std::string> m_pulled;   //!< received node -> name of the pull
    std::map<uint32_t, std::string> m_transferOps; //!< receive -> name of the pull or push
    std::map<uint32_t, std::string> m_computeOps;  //!< op -> its name
    std::vector<uint32_t> m_computed;              //!< these ops, in the order of their starts
    std::size_t m_firstComputed{0};                //!< index of the first one in the step's list
    std::vector<TfRead> m_reads;                   //!< between them
    Counts m_counts;                               //!< for rules
    TfBuiltStep m_built;                           //!< under construction
    std::vector<MeasuredOp>& m_ops{m_built.measured.ops}; //!< likewise
};

} // namespace

TfBuiltStep
BuildTfStep(const TfStep& step,
            const std::string& worker,
            const ImportOptions& options,
            uint32_t number)
{
    return TfStepBuilder(step, worker, options, number).Build();
}

} // namespace ns3::dml
