/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-steps.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Finds the training steps of both traces.
class StepFinder
{
  public:
    StepFinder(const std::vector<TorchEtNode>& nodes,
               const TorchEtTimes& times,
               const TorchEtJoin& join,
               const std::string& file)
        : m_nodes(nodes),
          m_times(times),
          m_join(join),
          m_file(file)
    {
    }

    TorchEtSteps Find() const
    {
        std::vector<TorchEtStep> all = FindAnnotations("ProfilerStep#");
        std::string rule = "step: an annotation ProfilerStep#N";
        if (all.empty())
        {
            all = FindAnnotations("Optimizer.step");
            int64_t start = FindWhole().start;
            for (TorchEtStep& step : all)
            {
                step.start = std::min(start, step.end);
                start = step.end;
            }
            rule =
                "step: to the end of an Optimizer.step from that of the one before, as there is no "
                "ProfilerStep#N";
        }
        if (all.empty())
        {
            all = {FindWhole()};
            rule = "step: all of the Execution Trace, as there is neither ProfilerStep#N nor "
                   "Optimizer.step";
        }
        std::vector<TorchEtStep> steps = KeepUsed(all);
        rule += " (" + std::to_string(steps.size()) + " of " + Plural(all.size(), "step") +
                " with operators of the Execution Trace)";
        return {std::move(steps), std::move(rule)};
    }

  private:
    /// @return the annotations of the Kineto trace that last and whose name starts with @p prefix,
    /// by start
    std::vector<TorchEtStep> FindAnnotations(const std::string& prefix) const
    {
        std::vector<TorchEtStep> all;
        for (const TorchEtEvent& event : m_times.GetEvents())
        {
            const std::string& name = m_times.GetText(event.name);
            if (name.compare(0, prefix.size(), prefix) == 0 && event.start < event.end)
            {
                all.push_back({m_file + ": " + name, event.start, event.end});
            }
        }
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
            return a.start < b.start;
        });
        for (std::size_t i = 1; i < all.size(); ++i)
        {
            if (all[i].start < all[i - 1].end)
            {
                throw InputError(all[i].place +
                                 " starts before the one before it ends; accepted are "
                                 "steps that follow one another");
            }
        }
        return all;
    }

    /// @return from the start of the first operator to the end of the last
    TorchEtStep FindWhole() const
    {
        TorchEtStep step{m_file, INT64_MAX, INT64_MIN};
        for (std::size_t node = 0; node < m_nodes.size(); ++node)
        {
            if (const TorchEtEvent* event = FindOperator(node))
            {
                step.start = std::min(step.start, event->start);
                // so that an operator of no length is in it
                step.end = std::max(step.end, std::max(event->end, event->start + 1));
            }
        }
        return step;
    }

    std::vector<TorchEtStep> KeepUsed(const std::vector<TorchEtStep>& all) const
    {
        std::vector<bool> used(all.size(), false);
        for (std::size_t node = 0; node < m_nodes.size(); ++node)
        {
            if (const TorchEtEvent* event = FindOperator(node))
            {
                const auto behind = std::upper_bound(
                    all.begin(),
                    all.end(),
                    event->start,
                    [](int64_t start, const TorchEtStep& step) { return start < step.start; });
                if (behind != all.begin() && event->start < (behind - 1)->end)
                {
                    used[behind - 1 - all.begin()] = true;
                }
            }
        }
        std::vector<TorchEtStep> steps;
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            if (used[i])
            {
                steps.push_back(all[i]);
            }
        }
        return steps;
    }

    /// @return the event of a node that is an operator, or null
    const TorchEtEvent* FindOperator(std::size_t node) const
    {
        const uint32_t event = m_join.events[node];
        return event == TorchEtJoin::NONE || m_nodes[node].isAnnotation
                   ? nullptr
                   : &m_times.GetEvents()[event];
    }

    const std::vector<TorchEtNode>& m_nodes; //!< of the Execution Trace
    const TorchEtTimes& m_times;             //!< of the Kineto trace
    const TorchEtJoin& m_join;               //!< what belongs together
    const std::string& m_file;               //!< name in messages
};

} // namespace

TorchEtSteps
FindTorchEtSteps(const std::vector<TorchEtNode>& nodes,
                 const TorchEtTimes& times,
                 const TorchEtJoin& join,
                 const std::string& file)
{
    return StepFinder(nodes, times, join, file).Find();
}

} // namespace ns3::dml
