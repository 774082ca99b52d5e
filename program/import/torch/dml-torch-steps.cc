/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-steps.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return the events whose names start with @p prefix, by start
std::vector<const TorchEvent*>
FindEvents(const TorchTrace& trace, std::string_view prefix)
{
    std::vector<const TorchEvent*> found;
    for (const TorchEvent& event : trace.events)
    {
        if (StartsWith(trace.GetName(event), prefix))
        {
            found.push_back(&event);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) {
        return a->start < b->start;
    });
    return found;
}

/// Cuts a trace into steps.
class StepCutter
{
  public:
    explicit StepCutter(const TorchTrace& trace)
        : m_trace(trace)
    {
        for (const TorchEvent& event : trace.events)
        {
            m_first = std::min(m_first, event.start);
            m_last = std::max(m_last, event.end);
        }
    }

    TorchSteps Cut()
    {
        if (const auto found = FindEvents(m_trace, torchnames::STEP); !found.empty())
        {
            for (const TorchEvent* event : found)
            {
                if (event->start < event->end)
                {
                    Add(m_trace.GetName(*event), event->start, event->end);
                }
            }
            m_steps.rule = "a step: an annotation ProfilerStep#N";
        }
        else if (const auto updates = FindEvents(m_trace, torchnames::OPTIMIZER_STEP);
                 !updates.empty())
        {
            int64_t start = m_first;
            for (const TorchEvent* event : updates)
            {
                AddNumbered(start, event->end);
                start = std::max(start, event->end);
            }
            m_steps.rule =
                "a step: to the end of an Optimizer.step, from the end of the one before "
                "it (there is no ProfilerStep#N)";
        }
        else if (const auto resets = FindEvents(m_trace, torchnames::ZERO_GRAD); !resets.empty())
        {
            for (std::size_t i = 0; i < resets.size(); ++i)
            {
                AddNumbered(resets[i]->start,
                            i + 1 < resets.size() ? resets[i + 1]->start : m_last);
            }
            m_steps.rule = "a step: from an Optimizer.zero_grad to the next (there is neither "
                           "ProfilerStep#N nor Optimizer.step)";
        }
        else
        {
            AddNumbered(m_first, m_last);
            m_steps.rule =
                "a step: all of the trace (there is no ProfilerStep#N, Optimizer.step or "
                "Optimizer.zero_grad)";
        }
        m_steps.rule += " (" + Plural(m_steps.steps.size(), "step") + ")";
        return std::move(m_steps);
    }

  private:
    void Add(const std::string& name, int64_t start, int64_t end)
    {
        const std::string place = m_trace.file + ": " + name;
        if (!m_steps.steps.empty() && start < m_steps.steps.back().end)
        {
            throw InputError(place + " starts before " + m_steps.steps.back().place +
                             " ends; accepted are steps that follow one another");
        }
        m_steps.steps.push_back({place, start, end, start, end});
    }

    void AddNumbered(int64_t start, int64_t end)
    {
        if (start < end)
        {
            Add("step " + std::to_string(m_steps.steps.size()), start, end);
        }
    }

    const TorchTrace& m_trace;  //!< what to cut
    int64_t m_first{INT64_MAX}; //!< start of the first event
    int64_t m_last{INT64_MIN};  //!< end of the last event
    TorchSteps m_steps;         //!< under construction
};

} // namespace

TorchSteps
FindTorchSteps(const TorchTrace& trace)
{
    if (trace.events.empty())
    {
        throw InputError(trace.file + ": found no ops of a CPU; accepted is a trace of "
                                      "torch.profiler with ProfilerActivity.CPU");
    }
    TorchSteps steps = StepCutter(trace).Cut();
    if (steps.steps.empty())
    {
        throw InputError(trace.file + ": its events have no length; accepted is at least one step");
    }
    return steps;
}

} // namespace ns3::dml
