/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-timeline-graph.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr const char* GRADIENTS = "gradients/";

/// @return true for what a node's name may have: [A-Za-z0-9.][A-Za-z0-9_.\\-/]* in TensorFlow
bool
IsNameCharacter(char c, bool first)
{
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return word || c == '.' || (!first && (c == '_' || c == '-' || c == '/'));
}

/// @return true if the partitioner could have written the end of @p name: "_S1", "/_1"
bool
HasPartitionSuffix(const std::string& name)
{
    const std::size_t last = name.find_last_not_of("0123456789");
    if (last == std::string::npos || last + 1 == name.size() || last == 0)
    {
        return false;
    }
    const std::string end = name.substr(last - 1, 2);
    return end == "_S" || end == "/_";
}

/// @return "gpu" of "GPU:1", if TensorFlow has such devices, else "cpu"; in capitals
std::string
GetDeviceType(const std::string& name)
{
    std::string type;
    for (const char c : name.substr(0, 3))
    {
        type += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return type == "GPU" || type == "TPU" ? type : "CPU";
}

/// Where a node is that is on no device of the worker.
constexpr uint32_t SERVERS = UINT32_MAX;

/// Makes a TimelineGraph.
class TimelineGraphMaker
{
  public:
    explicit TimelineGraphMaker(const Profile& profile)
        : m_profile(profile)
    {
    }

    TimelineGraph Make()
    {
        NameDevices();
        NameNodes();
        FindDevices();
        // Edges of transfers first, so that they have the same number whoever reads them.
        m_graph.edges.resize(m_graph.nodes.size());
        for (OpIndex op = 0; op < m_graph.nodes.size(); ++op)
        {
            const OpKind kind = m_profile.graph.Get(op).kind;
            if (IsTransfer(kind))
            {
                m_graph.edges[op] =
                    FindEdge(op, kind == OpKind::PULL ? m_graph.places[op] : SERVERS);
            }
        }
        for (OpIndex op = 0; op < m_graph.nodes.size(); ++op)
        {
            AddInputs(op);
        }
        return std::move(m_graph);
    }

  private:
    void NameDevices()
    {
        for (const auto& device : m_profile.devices)
        {
            const std::string type = GetDeviceType(device.name) + ":";
            // A number that the name has is kept if it is free.
            const std::size_t digits = device.name.find_last_not_of("0123456789") + 1;
            std::string name = type + device.name.substr(digits);
            const auto isUsed = [this](const std::string& text) {
                return std::find(m_graph.devices.begin(), m_graph.devices.end(), text) !=
                       m_graph.devices.end();
            };
            for (uint32_t i = 0; name == type || isUsed(name); ++i)
            {
                name = type + std::to_string(i);
            }
            m_graph.devices.push_back(std::move(name));
        }
    }

    /// @param text any name; @return it as TensorFlow accepts it, and as no other node has it
    std::string MakeName(const std::string& text)
    {
        std::string name;
        for (const char c : text)
        {
            name += IsNameCharacter(c, name.empty()) ? c : name.empty() ? '.' : '_';
        }
        name += name.empty() ? "." : HasPartitionSuffix(name) ? "." : "";
        std::string unique = name;
        for (uint32_t i = 1; !m_names.insert(unique).second; ++i)
        {
            unique = name + "_" + std::to_string(i); // as TensorFlow does
        }
        return unique;
    }

    void NameNodes()
    {
        for (const auto& tensor : m_profile.tensors)
        {
            m_graph.variables.push_back({MakeName(tensor.name), "VariableV2", {}});
        }
        for (OpIndex index = 0; index < m_profile.graph.GetSize(); ++index)
        {
            const Op& op = m_profile.graph.Get(index);
            const std::string variable =
                NeedsTensor(op.kind) ? m_graph.variables[op.tensor].name : "";
            TimelineNode node;
            switch (op.kind)
            {
            case OpKind::PULL:
                node = {MakeName(variable + "/read"), "Identity", {variable}};
                break;
            case OpKind::PUSH:
                node = {MakeName(GRADIENTS + variable + "_grad/tuple/control_dependency_1"),
                        "Identity",
                        {}};
                break;
            case OpKind::UPDATE:
                node = {MakeName("GradientDescent/update_" + variable + "/ApplyGradientDescent"),
                        "ApplyGradientDescent",
                        {variable, "GradientDescent/learning_rate"}};
                break;
            case OpKind::BACKWARD:
                node = {MakeName(op.name.rfind(GRADIENTS, 0) == 0 ? op.name : GRADIENTS + op.name),
                        "SymbolicGradient",
                        {}};
                break;
            case OpKind::FORWARD:
            case OpKind::COMPUTE:
                node = {MakeName(op.name), "PartitionedCall", {}};
                break;
            }
            m_graph.nodes.push_back(std::move(node));
        }
    }

    void FindDevices()
    {
        m_graph.places.assign(m_graph.nodes.size(), 0);
        for (OpIndex index = 0; index < m_graph.nodes.size(); ++index)
        {
            const Op& op = m_profile.graph.Get(index);
            const auto neighbours = op.kind == OpKind::PUSH ? m_profile.graph.GetDependencies(index)
                                                            : m_profile.graph.GetDependents(index);
            const auto compute =
                std::find_if(neighbours.begin(), neighbours.end(), [this](OpIndex other) {
                    return RunsOnDevice(m_profile.graph.Get(other).kind);
                });
            m_graph.places[index] = RunsOnDevice(op.kind)       ? op.device
                                    : op.kind == OpKind::UPDATE ? SERVERS
                                    : compute != neighbours.end()
                                        ? m_profile.graph.Get(*compute).device
                                        : 0;
        }
    }

    /// @param op index; @return where its node is
    uint32_t GetPlace(OpIndex op) const
    {
        const OpKind kind = m_profile.graph.Get(op).kind;
        return kind == OpKind::PULL || kind == OpKind::UPDATE ? SERVERS : m_graph.places[op];
    }

    /// @param from op; @param place of the node that takes its output; @return number of the edge
    uint32_t FindEdge(OpIndex from, uint32_t place)
    {
        const uint32_t next = 2 * m_edges.size() + 1; // the sending node has a number too
        return m_edges.emplace(std::make_pair(from, place), next).first->second;
    }

    /// @param from op that makes it; @param place of the node that takes it; @return the input
    std::string GetInput(OpIndex from, uint32_t place)
    {
        if (GetPlace(from) == place)
        {
            return m_graph.nodes[from].name;
        }
        return m_graph.nodes[from].name + "_S" + std::to_string(FindEdge(from, place));
    }

    void AddInputs(OpIndex op)
    {
        TimelineNode& node = m_graph.nodes[op];
        const OpKind kind = m_profile.graph.Get(op).kind;
        for (const OpIndex dep : m_profile.graph.GetDependencies(op))
        {
            const Op& before = m_profile.graph.Get(dep);
            // A parameter or an update is given the data of its variable; for all else it waits.
            const bool data = kind == OpKind::PULL ? false
                              : kind == OpKind::UPDATE
                                  ? before.kind == OpKind::PUSH
                                  : before.kind != OpKind::PUSH && before.kind != OpKind::UPDATE;
            node.inputs.push_back((data ? "" : "^") + GetInput(dep, GetPlace(op)));
        }
    }

    const Profile& m_profile;                                 //!< the job
    TimelineGraph m_graph;                                    //!< so far
    std::set<std::string> m_names;                            //!< in use
    std::map<std::pair<OpIndex, uint32_t>, uint32_t> m_edges; //!< by op and place of its reader
};

} // namespace

TimelineGraph
MakeTimelineGraph(const Profile& profile)
{
    return TimelineGraphMaker(profile).Make();
}

} // namespace ns3::dml
