/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include <algorithm>
#include <set>

namespace ns3::dml
{

namespace
{

/// Takes one step apart.
class TorchStepAnatomy
{
  public:
    explicit TorchStepAnatomy(TorchRun& run)
        : m_run(run)
    {
    }

    TorchStep Dissect(const TorchStepTime& time)
    {
        m_step.time = time;
        FindEvents();
        FindOwners();
        FindOuter();
        AddParts();
        if (!m_run.sequences)
        {
            MatchByName();
        }
        return std::move(m_step);
    }

  private:
    void FindEvents()
    {
        const auto& all = m_run.trace.events;
        for (auto event = all.begin(); event != all.end();)
        {
            const auto end = std::upper_bound(
                event,
                all.end(),
                event->thread,
                [](uint32_t thread, const TorchEvent& other) { return thread < other.thread; });
            event = std::lower_bound(
                event,
                end,
                m_step.time.hostStart,
                [](const TorchEvent& other, int64_t start) { return other.start < start; });
            for (; event != end && event->start < m_step.time.hostEnd; ++event)
            {
                if (!StartsWith(m_run.trace.GetName(*event), torchnames::STEP))
                {
                    m_inside.push_back(event - all.begin());
                }
            }
            event = end;
        }
    }

    void FindOwners()
    {
        std::unordered_map<int64_t, int64_t> firstRun; // of each node that ran
        std::set<std::string> nodes;
        int64_t firstBackward = INT64_MAX;
        for (const uint32_t i : m_inside)
        {
            const TorchEvent& event = m_run.trace.events[i];
            if (!event.backward)
            {
                continue;
            }
            MarkAround(i);
            firstBackward = std::min(firstBackward, event.start);
            if (event.sequence >= 0)
            {
                const auto [run, isNew] = firstRun.emplace(event.sequence, event.start);
                run->second = std::min(run->second, event.start);
            }
            if (!m_run.sequences)
            {
                nodes.insert(GetTorchNodeKey(m_run.trace.GetName(event)));
            }
        }
        for (const uint32_t i : m_inside)
        {
            const TorchEvent& event = m_run.trace.events[i];
            const std::string& name = m_run.trace.GetName(event);
            if (StartsWith(name, torchnames::OPTIMIZER_STEP) ||
                StartsWith(name, torchnames::ZERO_GRAD))
            {
                MarkAround(i);
            }
            if (event.backward)
            {
                continue;
            }
            if (!m_run.sequences)
            {
                if (event.start < firstBackward && nodes.count(GetTorchNodeKey(name)) > 0)
                {
                    m_run.owns[i] = true;
                    MarkAround(i);
                }
                continue;
            }
            const auto run = firstRun.find(event.sequence);
            if (run == firstRun.end() || event.start >= run->second)
            {
                continue;
            }
            const auto [owner, isNew] = m_owners.emplace(event.sequence, i);
            if (!isNew && m_run.trace.events[owner->second].start <= event.start)
            {
                owner->second = i;
            }
        }
        for (const auto& [sequence, owner] : m_owners)
        {
            m_run.owns[owner] = true;
            MarkAround(owner);
        }
    }

    void MarkAround(uint32_t event)
    {
        for (uint32_t i = m_run.trace.events[event].parent;
             i != TorchEvent::NONE && !m_run.surrounds[i];
             i = m_run.trace.events[i].parent)
        {
            m_run.surrounds[i] = true;
        }
    }

    /// @return whether @p event completes a gradient within another node, as where a checkpoint
    /// runs its part of the backward pass. @param around the outermost event
    bool IsInnerAccumulation(uint32_t event, uint32_t around) const
    {
        const auto isAccumulation = [this](uint32_t i) {
            return GetTorchNode(m_run.trace.GetName(m_run.trace.events[i])) ==
                   torchnames::ACCUMULATE;
        };
        return m_run.trace.events[around].backward && isAccumulation(event) &&
               !isAccumulation(around);
    }

    void FindOuter()
    {
        std::set<uint32_t> training; // threads
        for (const uint32_t i : m_inside)
        {
            const TorchEvent& event = m_run.trace.events[i];
            const std::string& name = m_run.trace.GetName(event);
            if (event.backward || m_run.owns[i] || StartsWith(name, torchnames::OPTIMIZER_STEP))
            {
                training.insert(event.thread);
            }
            const uint32_t around =
                event.parent == TorchEvent::NONE ? TorchEvent::NONE : m_run.outer[event.parent];
            if (around != TorchEvent::NONE && !IsInnerAccumulation(i, around))
            {
                m_run.outer[i] = around;
                continue;
            }
            const bool isAnnotation = event.sequence < 0 && !event.backward && !m_run.owns[i] &&
                                      !StartsWith(name, torchnames::OPERATOR);
            if (!isAnnotation || !m_run.surrounds[i])
            {
                m_run.outer[i] = i;
                m_step.outer.push_back({i, 0});
            }
        }
        auto& outer = m_step.outer;
        outer.erase(std::remove_if(outer.begin(),
                                   outer.end(),
                                   [&](const TorchOuter& i) {
                                       return training.count(m_run.trace.events[i.event].thread) ==
                                              0;
                                   }),
                    outer.end());
        std::stable_sort(outer.begin(), outer.end(), [this](const auto& a, const auto& b) {
            return m_run.trace.events[a.event].start < m_run.trace.events[b.event].start;
        });
        for (const uint32_t i : m_inside)
        {
            if (m_run.surrounds[i] && m_run.outer[i] == TorchEvent::NONE &&
                StartsWith(m_run.trace.GetName(m_run.trace.events[i]), torchnames::OPTIMIZER_STEP))
            {
                TakeUpdate(i);
            }
        }
        // An owner makes a forward op of the outermost op around it.
        for (const uint32_t i : m_inside)
        {
            if (m_run.owns[i] && m_run.outer[i] != TorchEvent::NONE)
            {
                m_run.owns[m_run.outer[i]] = true;
            }
        }
    }

    /// Make an outermost event of what an optimizer's step does after the last gradient is
    /// complete.
    /// @param update optimizer's step around forward and backward ops
    void TakeUpdate(uint32_t update)
    {
        const auto& events = m_run.trace.events;
        const TorchEvent& around = events[update];
        int64_t last = INT64_MIN; // end of the last autograd node or inner optimizer's step
        for (const TorchOuter& outer : m_step.outer)
        {
            const TorchEvent& event = events[outer.event];
            const bool isEnd = event.backward ||
                               StartsWith(m_run.trace.GetName(event), torchnames::OPTIMIZER_STEP);
            last = isEnd && event.start >= around.start && event.end <= around.end
                       ? std::max(last, event.end)
                       : last;
        }
        TorchOuter own{update, 0, INT64_MAX};
        auto& outer = m_step.outer;
        outer.erase(std::remove_if(outer.begin(),
                                   outer.end(),
                                   [&](const TorchOuter& inner) {
                                       const TorchEvent& event = events[inner.event];
                                       const bool isTaken = event.thread == around.thread &&
                                                            event.start >= last &&
                                                            event.end <= around.end;
                                       own.start =
                                           isTaken ? std::min(own.start, event.start) : own.start;
                                       return isTaken;
                                   }),
                    outer.end());
        if (last == INT64_MIN || own.start == INT64_MAX)
        {
            return;
        }
        for (uint32_t i = update + 1; i < events.size() && events[i].thread == around.thread &&
                                      events[i].start <= around.end;
             ++i)
        {
            m_run.outer[i] = events[i].start >= own.start ? update : m_run.outer[i];
        }
        const auto at =
            std::upper_bound(outer.begin(),
                             outer.end(),
                             own.start,
                             [&](int64_t start, const TorchOuter& other) {
                                 return start < std::max(events[other.event].start, other.start);
                             });
        m_run.outer[update] = update;
        outer.insert(at, own);
    }

    /// @return class of an outermost event
    TorchWork Classify(uint32_t event) const
    {
        const TorchEvent& outer = m_run.trace.events[event];
        const std::string& name = m_run.trace.GetName(outer);
        if (GetTorchNode(name) == torchnames::ACCUMULATE)
        {
            return m_run.HasGradient(event) ? TorchWork::ACCUMULATE : TorchWork::OTHER;
        }
        if (outer.backward)
        {
            return TorchWork::BACKWARD;
        }
        if (StartsWith(name, torchnames::OPTIMIZER_STEP))
        {
            return TorchWork::UPDATE;
        }
        return m_run.owns[event] ? TorchWork::FORWARD : TorchWork::OTHER;
    }

    void AddParts()
    {
        bool forward = false;
        for (uint32_t place = 0; place < m_step.outer.size(); ++place)
        {
            const uint32_t event = m_step.outer[place].event;
            const std::string& name = m_run.trace.GetName(m_run.trace.events[event]);
            const TorchWork work = Classify(event);
            if (work == TorchWork::OTHER && StartsWith(name, torchnames::ZERO_GRAD))
            {
                AddGlue("compute/before-zero_grad");
                AddPart(work, "compute/zero_grad", event);
            }
            else if (work == TorchWork::OTHER)
            {
                m_run.counts.undefined += GetTorchNode(name) == torchnames::ACCUMULATE ? 1 : 0;
                m_glue.push_back(place);
                continue;
            }
            else if (work == TorchWork::FORWARD)
            {
                if (!forward)
                {
                    AddGlue("compute/before-forward");
                    forward = true;
                }
                const std::string base = GetTorchBaseName(name);
                const std::string op = base + "_" + std::to_string(++m_names[base]);
                m_forwardParts.emplace(event, m_step.parts.size());
                AddPart(work, "forward/" + op, event);
                m_step.parts.back().op = op;
            }
            else if (work == TorchWork::UPDATE)
            {
                AddGlue("compute/before-update");
                AddPart(work, "", event);
            }
            else
            {
                AddPart(work, "", event);
                AddNode(m_step.parts.back());
            }
            m_step.outer[place].part = m_step.parts.size() - 1;
            m_step.parts.back().asked =
                std::max(m_run.trace.events[event].start, m_step.outer[place].start);
            m_run.counts.absorbed += m_glue.size();
            TakeGlue();
        }
        AddGlue("compute/after-update");
    }

    void AddPart(TorchWork work, const std::string& name, uint32_t event)
    {
        TorchPart part;
        part.work = work;
        part.name = name;
        if (!name.empty() && work == TorchWork::OTHER)
        {
            const uint32_t count = ++m_names[name];
            part.name += count > 1 ? "_" + std::to_string(count) : "";
        }
        part.event = event;
        m_step.parts.push_back(part);
    }

    void AddGlue(const std::string& name)
    {
        AddPart(TorchWork::OTHER,
                name,
                m_glue.empty() ? TorchEvent::NONE : m_step.outer[m_glue.front()].event);
        TakeGlue();
    }

    /// Let what waits count to the last part.
    void TakeGlue()
    {
        for (const uint32_t waiting : m_glue)
        {
            m_step.outer[waiting].part = m_step.parts.size() - 1;
        }
        m_glue.clear();
    }

    void AddNode(TorchPart& part)
    {
        const TorchEvent& event = m_run.trace.events[part.event];
        if (part.work == TorchWork::ACCUMULATE)
        {
            // The node before it is that of the parameter's op.
            for (auto before = m_step.parts.rbegin() + 1; before != m_step.parts.rend(); ++before)
            {
                if (before->work == TorchWork::BACKWARD)
                {
                    part.forward = before->forward;
                    part.node = before->node;
                    break;
                }
            }
            return;
        }
        part.node = GetTorchNode(m_run.trace.GetName(event));
        ++m_run.counts.nodes;
        const auto owner = m_owners.find(event.sequence);
        const auto forward = owner == m_owners.end()
                                 ? m_forwardParts.end()
                                 : m_forwardParts.find(m_run.outer[owner->second]);
        if (forward != m_forwardParts.end())
        {
            part.forward = forward->second;
        }
        // Without sequence numbers it gets its name when it has been matched.
        if (m_run.sequences)
        {
            NameNode(part);
        }
    }

    /// Name a node, whose forward op may be known.
    void NameNode(TorchPart& part)
    {
        const bool matched = part.forward != TorchEvent::NONE;
        m_run.counts.matched += matched ? 1 : 0;
        const std::string name =
            "backward/" + (matched ? m_step.parts[part.forward].op + "/" : "") + part.node;
        const uint32_t count = ++m_names[name];
        part.name = name + (count > 1 || !matched ? "_" + std::to_string(count) : "");
    }

    void MatchByName()
    {
        // Forward parts that may have created a node.
        std::unordered_map<std::string, std::set<uint32_t>> candidates;
        for (const uint32_t i : m_inside)
        {
            const auto part = m_forwardParts.find(m_run.outer[i]);
            if (part != m_forwardParts.end())
            {
                candidates[GetTorchNodeKey(m_run.trace.GetName(m_run.trace.events[i]))].insert(
                    part->second);
            }
        }
        uint32_t forward = TorchEvent::NONE;
        for (TorchPart& part : m_step.parts)
        {
            if (part.work == TorchWork::BACKWARD)
            {
                auto& forwards = candidates[GetTorchNodeKey(part.node)];
                if (!forwards.empty())
                {
                    part.forward = *forwards.rbegin();
                    forwards.erase(part.forward);
                }
                NameNode(part);
                forward = part.forward;
            }
            else if (part.work == TorchWork::ACCUMULATE)
            {
                part.forward = forward;
            }
        }
    }

    TorchRun& m_run;                                //!< of which the step is
    TorchStep m_step;                               //!< under construction
    std::vector<uint32_t> m_inside;                 //!< events of the step
    std::unordered_map<int64_t, uint32_t> m_owners; //!< event that created a node, by number
    std::vector<uint32_t> m_glue; //!< places in `outer` that wait for the part they count to
    std::unordered_map<uint32_t, uint32_t> m_forwardParts; //!< by outermost event
    std::unordered_map<std::string, uint32_t> m_names;     //!< how often a name was given
};

} // namespace

std::string
GetTorchBaseName(std::string_view name)
{
    if (StartsWith(name, torchnames::OPERATOR))
    {
        name.remove_prefix(torchnames::OPERATOR.size());
    }
    return std::string(name);
}

std::string
GetTorchNodeKey(std::string_view name)
{
    std::string key;
    name = GetTorchNode(name);
    const bool isNode = !StartsWith(name, torchnames::OPERATOR);
    for (const char c : GetTorchBaseName(name))
    {
        if (c != '_')
        {
            key.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
        }
    }
    for (const std::string_view suffix : {"backward", "forward"})
    {
        const std::size_t at = key.rfind(suffix);
        if (at == std::string::npos || at == 0)
        {
            continue;
        }
        const std::string_view rest = std::string_view(key).substr(at + suffix.size());
        const bool digits = rest.find_first_not_of("0123456789") == std::string_view::npos;
        if (digits && (isNode || suffix == "forward"))
        {
            key.resize(at);
        }
    }
    return key;
}

TorchStep
DissectTorchStep(TorchRun& run, const TorchStepTime& time)
{
    return TorchStepAnatomy(run).Dissect(time);
}

} // namespace ns3::dml
