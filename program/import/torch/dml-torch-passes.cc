/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-parameters.h"
#include "dml-torch-step-ops.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Accumulations of a pass, by kind.
using Pass = std::map<std::string, std::vector<uint32_t>>;

/// Finds the passes of a step.
class PassFinder
{
  public:
    PassFinder(const TorchTrace& trace, const TorchStepAnatomy& anatomy, const TorchStep& step)
        : m_trace(trace),
          m_anatomy(anatomy),
          m_step(step)
    {
    }

    /// @return all that have an accumulation
    std::vector<Pass> Find()
    {
        const std::set<uint32_t> starts = FindStarts();
        std::vector<Pass> passes(1);
        bool isUpdated = false;
        for (uint32_t p = 0; p < m_step.parts.size(); ++p)
        {
            const TorchPart& part = m_step.parts[p];
            if (starts.count(p) > 0 && !passes.back().empty())
            {
                passes.emplace_back();
            }
            if (part.work == TorchWork::ACCUMULATE)
            {
                passes.back()[GetKind(part)].push_back(p);
                m_isSplit |= isUpdated;
            }
            isUpdated |= part.work == TorchWork::UPDATE && !passes.front().empty();
        }
        if (passes.back().empty())
        {
            passes.pop_back();
        }
        return passes;
    }

    /// @return true if an optimizer's step is between two accumulations
    bool IsSplit() const
    {
        return m_isSplit;
    }

  private:
    /// @return parts that start a pass if an accumulation is before them
    std::set<uint32_t> FindStarts() const
    {
        std::set<uint32_t> starts;
        for (std::size_t place = 0; place < m_step.outer.size(); ++place)
        {
            const uint32_t p = m_step.outerPart[place];
            if (p == TorchEvent::NONE)
            {
                continue;
            }
            const TorchEvent& event = m_trace.events[m_step.outer[place]];
            const std::string& name = m_trace.GetName(event);
            const bool takesWeight = !m_anatomy.GetCounts().sequences && !event.backward &&
                                     StartsWith(name, torchnames::OPERATOR) &&
                                     FindTorchSamples(GetTorchBaseName(name));
            if (m_step.parts[p].work == TorchWork::FORWARD || takesWeight)
            {
                starts.insert(p);
            }
        }
        return starts;
    }

    /// @return what tells an accumulation from others
    std::string GetKind(const TorchPart& part) const
    {
        std::string kind = part.node;
        if (m_anatomy.GetCounts().sequences && part.forward != TorchEvent::NONE)
        {
            const std::string& op = m_step.parts[part.forward].op;
            kind += " " + op.substr(0, op.rfind('_'));
        }
        for (uint32_t i = part.event;
             i < m_trace.events.size() && m_anatomy.GetOuter(i) == part.event;
             ++i)
        {
            const TorchEvent& event = m_trace.events[i];
            if (m_trace.GetName(event) == torchnames::ACCUMULATE && event.dims != TorchEvent::NONE)
            {
                kind += " " + m_trace.texts[event.dims];
                kind += event.types == TorchEvent::NONE ? "" : " " + m_trace.texts[event.types];
                break;
            }
        }
        return kind;
    }

    const TorchTrace& m_trace;         //!< the trace
    const TorchStepAnatomy& m_anatomy; //!< what belongs together
    const TorchStep& m_step;           //!< the step
    bool m_isSplit{false};             //!< by an optimizer's step
};

/// @return true if both have as many accumulations of every kind
bool
IsSamePass(const Pass& a, const Pass& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.size() == y.second.size();
    });
}

} // namespace

TorchPasses
MergeTorchPasses(const TorchTrace& trace, const TorchStepAnatomy& anatomy, TorchStep& step)
{
    PassFinder finder(trace, anatomy, step);
    const std::vector<Pass> passes = finder.Find();
    TorchPasses result;
    if (passes.size() < 2)
    {
        return result;
    }
    result.passes = passes.size();
    result.recognized =
        !finder.IsSplit() && std::all_of(passes.begin(), passes.end(), [&](const Pass& pass) {
            return IsSamePass(pass, passes.front());
        });
    if (!result.recognized)
    {
        return result;
    }
    step.passes = result.passes;
    for (const auto& [kind, last] : passes.back())
    {
        const std::vector<uint32_t>& first = passes.front().at(kind);
        for (std::size_t i = 0; i < last.size(); ++i)
        {
            step.parts[last[i]].forward = step.parts[first[i]].forward;
        }
    }
    std::set<uint32_t> complete;
    for (const auto& [kind, last] : passes.back())
    {
        complete.insert(last.begin(), last.end());
    }
    std::map<std::string, uint32_t> names;
    for (uint32_t p = 0; p < step.parts.size(); ++p)
    {
        TorchPart& part = step.parts[p];
        if (part.work != TorchWork::ACCUMULATE || complete.count(p) > 0)
        {
            continue;
        }
        part.work = TorchWork::BACKWARD;
        const std::string op =
            part.forward == TorchEvent::NONE ? "" : step.parts[part.forward].op + "/";
        const std::string name = "backward/" + op + "AccumulateGrad";
        const uint32_t count = ++names[name];
        part.name = name + (count > 1 ? "_" + std::to_string(count) : "");
        ++result.repeated;
    }
    return result;
}

} // namespace ns3::dml
