/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-graph.h"
#include "dml-tf-names.h"
#include "dml-tf-passes.h"
#include "dml-tf-update-types.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// The parameter server that stands for the part of a process that keeps its variables.
constexpr std::string_view SERVER = "/job:ps/replica:0/task:0";

/// @param type type of a node; @return true if it is a variable
bool
IsVariable(std::string_view type)
{
    return type == "Variable" || type == "VariableV2" || type == "VarHandleOp" ||
           type == "AutoReloadVariable";
}

/// Takes the variables out of a process.
class TfLocalSplitter
{
  public:
    explicit TfLocalSplitter(TfStep& step)
        : m_step(step),
          m_graph(step)
    {
        for (const TfOp& op : step.ops)
        {
            if (!IsTfTransparent(op.type))
            {
                m_machine = step.GetMachine(op);
            }
        }
    }

    std::string Split(std::vector<std::string>& warnings)
    {
        FindUpdates();
        if (m_updates.empty())
        {
            return "";
        }
        FindServerOps();
        const std::size_t reads = AddPulls(warnings);
        AddPushes();
        m_step.local = true;
        const uint32_t device = m_step.AddDevice(std::string(SERVER) + "/device:CPU:0");
        for (const uint32_t op : m_moved)
        {
            m_step.ops[op].device = device;
        }
        for (TfReceive& receive : m_step.receives)
        {
            receive.device = receive.sender == m_machine ? device : receive.device;
        }
        return fmt::format("no parameter servers: variables that updates change ({}), their reads "
                           "({}) and the updates ({}) count as a server's, as they would be in a "
                           "job with one; pulls and pushes took no time here",
                           m_variables.size(),
                           reads,
                           m_updates.size());
    }

  private:
    /// @param input input of a node; @return the node that makes it
    static std::string GetNode(const std::string& input)
    {
        return std::string(StripTfPartition(GetTfNode(input)));
    }

    /// Find what applies a gradient to a variable.
    void FindUpdates()
    {
        for (uint32_t i = 0; i < m_step.ops.size(); ++i)
        {
            const TfOp& op = m_step.ops[i];
            const bool isApply = op.type.find("Apply") != std::string::npos && IsTfUpdate(op.type);
            if (isApply && GetTfGradientInput(op.type) < op.inputs.size())
            {
                m_updates.push_back(i);
                m_variables.insert(m_graph.FindVariable(m_machine, GetNode(op.inputs.front())));
            }
        }
        m_moved.insert(m_updates.begin(), m_updates.end());
    }

    /// Find variables and reads of those that are updated, and variables that only updates use.
    void FindServerOps()
    {
        std::map<std::string, std::vector<uint32_t>> readers; // by node
        for (uint32_t i = 0; i < m_step.ops.size(); ++i)
        {
            for (const std::string& input : m_step.ops[i].inputs)
            {
                readers[GetNode(input)].push_back(i);
            }
        }
        for (uint32_t i = 0; i < m_step.ops.size(); ++i)
        {
            const TfOp& op = m_step.ops[i];
            const std::string variable = m_graph.FindVariable(m_machine, op.node);
            const bool isRead = variable != op.node && m_variables.count(variable) > 0 &&
                                (op.type == "Identity" || op.type == "ReadVariableOp");
            if (isRead || (IsVariable(op.type) && m_variables.count(op.node) > 0))
            {
                m_moved.insert(i);
            }
        }
        for (uint32_t i = 0; i < m_step.ops.size(); ++i)
        {
            const auto found = readers.find(m_step.ops[i].node);
            if (IsVariable(m_step.ops[i].type) && found != readers.end() &&
                std::all_of(found->second.begin(), found->second.end(), [&](uint32_t reader) {
                    return m_moved.count(reader) > 0;
                }))
            {
                m_moved.insert(i);
            }
        }
    }

    /// Tell the size of a tensor if its maker does.
    void SetBytes(TfReceive& receive, uint32_t maker, uint32_t port) const
    {
        for (const TfOutput& output : m_step.ops[maker].outputs)
        {
            if (output.port == port && m_step.ops[maker].type != "VarHandleOp")
            {
                receive.bytes = output.bytes;
                receive.known = TfBytes::EXACT;
            }
        }
    }

    /// Pull what ops of the worker read of the variables. @return number of tensors
    std::size_t AddPulls(std::vector<std::string>& warnings)
    {
        std::set<std::string> pulled;
        std::set<std::string> gathered;
        for (uint32_t i = 0; i < m_step.ops.size(); ++i)
        {
            const TfOp& reader = m_step.ops[i];
            if (m_moved.count(i) > 0 || IsTfTransparent(reader.type))
            {
                continue;
            }
            for (const std::string& input : reader.inputs)
            {
                const std::string node = GetNode(input);
                const uint32_t maker = m_graph.Find(m_machine, node);
                if (input.front() == '^' || maker == TfGraph::NONE || m_moved.count(maker) == 0 ||
                    IsTfUpdate(m_step.ops[maker].type))
                {
                    continue;
                }
                const std::string variable = m_graph.FindVariable(m_machine, node);
                if (reader.type.find("Gather") != std::string::npos)
                {
                    gathered.insert(variable);
                }
                if (!pulled.insert(node).second)
                {
                    continue;
                }
                const uint32_t first = m_graph.Find(m_machine, variable);
                const TfOp& read = m_step.ops[maker];
                TfReceive pull;
                pull.device = reader.device;
                pull.tensor = node;
                pull.sender = SERVER;
                pull.start = first == TfGraph::NONE ? read.start
                                                    : std::min(read.start, m_step.ops[first].start);
                pull.end = read.end;
                SetBytes(pull, maker, GetTfPort(input).value_or(0));
                m_step.receives.push_back(std::move(pull));
            }
        }
        m_step.Warn(
            warnings,
            gathered.size(),
            "variables are read by Gather, as embeddings: each is one tensor here, of which "
            "a parameter server would send the rows that are read");
        return pulled.size();
    }

    /// Push what updates apply.
    void AddPushes()
    {
        std::set<std::string> pushed;
        for (const uint32_t i : m_updates)
        {
            const TfOp& update = m_step.ops[i];
            const std::string& input = update.inputs[GetTfGradientInput(update.type)];
            TfReceive push;
            push.tensor = GetNode(input);
            if (!pushed.insert(push.tensor).second)
            {
                continue;
            }
            push.sender = m_machine;
            push.start = update.start;
            if (const uint32_t maker = m_graph.Find(m_machine, push.tensor); maker != TfGraph::NONE)
            {
                push.start = m_step.ops[maker].end;
                SetBytes(push, maker, GetTfPort(input).value_or(0));
            }
            push.end = push.start;
            m_step.receives.push_back(std::move(push));
        }
    }

    TfStep& m_step;                    //!< changed
    TfGraph m_graph;                   //!< of the step before
    std::string m_machine;             //!< the process
    std::vector<uint32_t> m_updates;   //!< ops that apply gradients
    std::set<std::string> m_variables; //!< names of what they change
    std::set<uint32_t> m_moved;        //!< ops that a server has
};

} // namespace

std::string
SplitTfLocalStep(TfStep& step, std::vector<std::string>& warnings)
{
    std::set<std::string_view> machines;
    for (const TfOp& op : step.ops)
    {
        if (!IsTfTransparent(op.type))
        {
            machines.insert(step.GetMachine(op));
        }
    }
    const bool hasServer = std::any_of(step.devices.begin(),
                                       step.devices.end(),
                                       [](const TfDevice& device) { return device.IsServer(); });
    return machines.size() != 1 || hasServer || !step.receives.empty()
               ? ""
               : TfLocalSplitter(step).Split(warnings);
}

} // namespace ns3::dml
