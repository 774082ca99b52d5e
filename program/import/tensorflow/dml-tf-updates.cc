/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-names.h"
#include "dml-tf-transfers.h"
#include "dml-tf-update-types.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Finds pushes, and the updates that wait for them.
class UpdateMatcher
{
  public:
    UpdateMatcher(const TfStep& step, const TfGraph& graph)
        : m_step(step),
          m_graph(graph)
    {
    }

    TfUpdates Match(const std::string& worker)
    {
        for (uint32_t i = 0; i < m_step.receives.size(); ++i)
        {
            const TfReceive& receive = m_step.receives[i];
            if (m_step.devices[receive.device].IsServer() && receive.sender == worker &&
                !receive.tensor.empty())
            {
                m_found.pushes.push_back(i);
                m_byTensor.emplace(std::make_pair(m_step.GetMachine(receive), receive.tensor), i);
            }
        }
        std::vector<uint32_t> updates;
        for (uint32_t i = 0; i < m_step.ops.size(); ++i)
        {
            if (m_step.devices[m_step.ops[i].device].IsServer() && IsTfUpdate(m_step.ops[i].type) &&
                !m_step.ops[i].inputs.empty())
            {
                updates.push_back(i);
            }
        }
        std::sort(updates.begin(), updates.end(), [&](uint32_t a, uint32_t b) {
            return std::tie(m_step.ops[a].start, m_step.ops[a].node) <
                   std::tie(m_step.ops[b].start, m_step.ops[b].node);
        });
        for (const uint32_t op : updates)
        {
            AddUpdate(op);
        }
        return std::move(m_found);
    }

  private:
    /// What the walk from an update back through the graph comes to.
    struct Source
    {
        uint32_t index;    //!< into TfStep::ops, or of a push into TfStep::receives
        uint32_t distance; //!< number of ops between
        uint32_t input;    //!< number of the update's input that leads to it
    };

    /**
     * Follow the graph backwards on a parameter server, from all inputs but the first.
     * @param op index of an op there
     * @param[out] passed ops on the way
     * @return the worker's pushes that it waits for, nearest first
     */
    std::vector<Source> FindSources(uint32_t op, std::vector<uint32_t>& passed) const
    {
        std::vector<Source> sources;
        std::set<uint32_t> seen{op};
        std::set<uint32_t> found;
        std::queue<Source> open;
        open.push({op, 0, 0});
        for (; !open.empty(); open.pop())
        {
            const Source current = open.front();
            const std::vector<std::string>& inputs = m_step.ops[current.index].inputs;
            for (uint32_t i = current.index == op ? 1 : 0; i < inputs.size(); ++i)
            {
                if (inputs[i].empty() || inputs[i].front() == '^')
                {
                    continue;
                }
                const uint32_t input = current.index == op ? i : current.input;
                const uint32_t producer = m_graph.FindProducer(inputs[i], current.index);
                if (producer == TfGraph::NONE)
                {
                    const auto push =
                        m_byTensor.find({m_step.GetMachine(m_step.ops[current.index]),
                                         std::string(StripTfPartition(GetTfNode(inputs[i])))});
                    if (push != m_byTensor.end() && found.insert(push->second).second)
                    {
                        sources.push_back({push->second, current.distance, input});
                    }
                }
                else if (!IsTfUpdate(m_step.ops[producer].type) && seen.insert(producer).second)
                {
                    open.push({producer, current.distance + 1, input});
                    passed.push_back(producer);
                }
            }
        }
        return sources;
    }

    /**
     * @param update an op that changes a variable
     * @param variable its name
     * @param sources at least one
     * @return index of the receive that brought the gradient; TfGraph::NONE if it is another
     * variable's too
     */
    uint32_t FindGradient(const TfOp& update,
                          const std::string& variable,
                          const std::vector<Source>& sources) const
    {
        const uint32_t place = GetTfGradientInput(update.type);
        const auto rank = [&](const Source& source) {
            return std::make_tuple(!IsTfBackward(m_step.receives[source.index].tensor),
                                   source.input != place,
                                   source.distance);
        };
        auto best = rank(sources.front());
        for (const Source& source : sources)
        {
            best = std::min(best, rank(source));
        }
        uint32_t gradient = TfGraph::NONE;
        for (const Source& source : sources)
        {
            if (rank(source) == best && m_found.variables.count(source.index) == 0 &&
                (gradient == TfGraph::NONE ||
                 GetTfGradientOf(m_step.receives[source.index].tensor) == variable))
            {
                gradient = source.index;
            }
        }
        return gradient;
    }

    /// @param index of an op that changes a variable
    void AddUpdate(uint32_t index)
    {
        const TfOp& op = m_step.ops[index];
        std::vector<uint32_t> passed;
        const std::vector<Source> sources = FindSources(index, passed);
        if (sources.empty())
        {
            return;
        }
        const std::string variable =
            m_graph.FindVariable(m_step.GetMachine(op), GetTfNode(op.inputs.front()));
        const uint32_t gradient = FindGradient(op, variable, sources);
        if (gradient != TfGraph::NONE && m_found.updates.count(variable) == 0)
        {
            m_found.variables.emplace(gradient, variable);
        }
        int64_t firstEnd = std::numeric_limits<int64_t>::max();
        for (const Source& source : sources)
        {
            firstEnd = std::min(firstEnd, m_step.receives[source.index].end);
        }

        const auto [known, isNew] = m_found.updates.try_emplace(variable);
        TfUpdate& update = known->second;
        update.start = isNew ? op.start : std::min(update.start, op.start);
        // Ops between the gradient's arrival and the update count with it, those before are not its
        // own.
        passed.push_back(index);
        for (const uint32_t part : passed)
        {
            const TfOp& partOp = m_step.ops[part];
            if ((part == index || partOp.start >= firstEnd) && m_found.ops.insert(part).second)
            {
                update.start = std::min(update.start, partOp.start);
                update.duration += partOp.end - partOp.start;
                if (update.duration > TfStep::MAX_LENGTH)
                {
                    throw InputError(m_step.file + ": found an update of '" + variable +
                                     "' that takes more than 1e6 s up to '" + partOp.node +
                                     "'; accepted: at most 1e6 s");
                }
            }
        }
        for (const Source& source : sources)
        {
            update.receives.insert(source.index);
        }
    }

    const TfStep& m_step;   //!< all records
    const TfGraph& m_graph; //!< of the step
    std::map<std::pair<std::string, std::string>, uint32_t>
        m_byTensor;    //!< (server, tensor) -> push
    TfUpdates m_found; //!< so far
};

} // namespace

TfUpdates
FindTfUpdates(const TfStep& step, const TfGraph& graph, const std::string& worker)
{
    return UpdateMatcher(step, graph).Match(worker);
}

} // namespace ns3::dml
