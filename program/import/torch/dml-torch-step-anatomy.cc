/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-step-anatomy.h"

#include <algorithm>
#include <set>

namespace ns3::dml
{

TorchStepAnatomy::TorchStepAnatomy(const TorchTrace& trace)
    : m_trace(trace),
      m_outer(trace.events.size(), TorchEvent::NONE),
      m_surrounds(trace.events.size(), false),
      m_owns(trace.events.size(), false)
{
    for (uint32_t i = 0; i < trace.events.size(); ++i)
    {
        if (i == 0 || trace.events[i].thread != trace.events[i - 1].thread)
        {
            m_begins.push_back(i);
        }
        m_counts.sequences |= trace.events[i].backward && trace.events[i].sequence >= 0;
    }
    m_begins.push_back(trace.events.size());
}

TorchStep
TorchStepAnatomy::Dissect(const TorchStepTime& time)
{
    m_step = {};
    m_step.time = time;
    m_owners.clear();
    m_glue.clear();
    m_forwardParts.clear();
    m_names.clear();
    FindEvents();
    FindOwners();
    FindOuter();
    AddParts();
    if (!m_counts.sequences)
    {
        MatchByName();
    }
    return std::move(m_step);
}

void
TorchStepAnatomy::FindEvents()
{
    m_inside.clear();
    const auto startsBefore = [](const TorchEvent& event, int64_t start) {
        return event.start < start;
    };
    const auto all = m_trace.events.begin();
    for (std::size_t t = 0; t + 1 < m_begins.size(); ++t)
    {
        const auto end = all + m_begins[t + 1];
        auto event = std::lower_bound(all + m_begins[t], end, m_step.time.hostStart, startsBefore);
        for (; event != end && event->start < m_step.time.hostEnd; ++event)
        {
            if (!StartsWith(m_trace.GetName(*event), torchnames::STEP))
            {
                m_inside.push_back(event - all);
            }
        }
    }
}

void
TorchStepAnatomy::FindOwners()
{
    std::unordered_map<int64_t, int64_t> firstRun; // of each node that ran
    std::set<std::string> nodes;
    int64_t firstBackward = INT64_MAX;
    for (const uint32_t i : m_inside)
    {
        const TorchEvent& event = m_trace.events[i];
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
        if (!m_counts.sequences)
        {
            nodes.insert(GetTorchNodeKey(m_trace.GetName(event)));
        }
    }
    for (const uint32_t i : m_inside)
    {
        const TorchEvent& event = m_trace.events[i];
        const std::string& name = m_trace.GetName(event);
        if (StartsWith(name, torchnames::OPTIMIZER_STEP) || StartsWith(name, torchnames::ZERO_GRAD))
        {
            MarkAround(i);
        }
        if (event.backward)
        {
            continue;
        }
        if (!m_counts.sequences)
        {
            if (event.start < firstBackward && nodes.count(GetTorchNodeKey(name)) > 0)
            {
                m_owns[i] = true;
                MarkAround(i);
            }
            continue;
        }
        const auto run = firstRun.find(event.sequence);
        if (event.sequence < 0 || run == firstRun.end() || event.start >= run->second)
        {
            continue;
        }
        const auto [owner, isNew] = m_owners.emplace(event.sequence, i);
        if (!isNew && m_trace.events[owner->second].start <= event.start)
        {
            owner->second = i;
        }
    }
    for (const auto& [sequence, owner] : m_owners)
    {
        m_owns[owner] = true;
        MarkAround(owner);
    }
}

void
TorchStepAnatomy::MarkAround(uint32_t event)
{
    for (uint32_t i = m_trace.events[event].parent; i != TorchEvent::NONE && !m_surrounds[i];
         i = m_trace.events[i].parent)
    {
        m_surrounds[i] = true;
    }
}

void
TorchStepAnatomy::FindOuter()
{
    std::set<uint32_t> training; // threads
    for (const uint32_t i : m_inside)
    {
        const TorchEvent& event = m_trace.events[i];
        const std::string& name = m_trace.GetName(event);
        if (event.backward || m_owns[i] || StartsWith(name, torchnames::OPTIMIZER_STEP))
        {
            training.insert(event.thread);
        }
        const uint32_t around =
            event.parent == TorchEvent::NONE ? TorchEvent::NONE : m_outer[event.parent];
        if (around != TorchEvent::NONE)
        {
            m_outer[i] = around;
            continue;
        }
        const bool isAnnotation = event.sequence < 0 && !event.backward && !m_owns[i] &&
                                  !StartsWith(name, torchnames::OPERATOR);
        if (!isAnnotation || !m_surrounds[i])
        {
            m_outer[i] = i;
            m_step.outer.push_back(i);
        }
    }
    auto& outer = m_step.outer;
    outer.erase(
        std::remove_if(outer.begin(),
                       outer.end(),
                       [&](uint32_t i) { return training.count(m_trace.events[i].thread) == 0; }),
        outer.end());
    std::stable_sort(outer.begin(), outer.end(), [this](uint32_t a, uint32_t b) {
        return m_trace.events[a].start < m_trace.events[b].start;
    });
    m_step.outerPart.assign(outer.size(), TorchEvent::NONE);
    // An owner makes a forward op of the outermost op around it.
    for (const uint32_t i : m_inside)
    {
        if (m_owns[i] && m_outer[i] != TorchEvent::NONE)
        {
            m_owns[m_outer[i]] = true;
        }
    }
}

TorchWork
TorchStepAnatomy::Classify(uint32_t event) const
{
    const TorchEvent& outer = m_trace.events[event];
    const std::string& name = m_trace.GetName(outer);
    if (GetTorchNode(name) == torchnames::ACCUMULATE)
    {
        return TorchWork::ACCUMULATE;
    }
    if (outer.backward)
    {
        return TorchWork::BACKWARD;
    }
    if (StartsWith(name, torchnames::OPTIMIZER_STEP))
    {
        return TorchWork::UPDATE;
    }
    return m_owns[event] ? TorchWork::FORWARD : TorchWork::OTHER;
}

void
TorchStepAnatomy::AddParts()
{
    bool forward = false;
    for (uint32_t place = 0; place < m_step.outer.size(); ++place)
    {
        const uint32_t event = m_step.outer[place];
        const std::string& name = m_trace.GetName(m_trace.events[event]);
        const TorchWork work = Classify(event);
        if (work == TorchWork::OTHER && StartsWith(name, torchnames::ZERO_GRAD))
        {
            AddGlue("compute/before-zero_grad");
            AddPart(work, "compute/zero_grad", event);
        }
        else if (work == TorchWork::OTHER)
        {
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
        m_step.outerPart[place] = m_step.parts.size() - 1;
        for (const uint32_t waiting : m_glue)
        {
            m_step.outerPart[waiting] = m_step.parts.size() - 1;
            ++m_counts.absorbed;
        }
        m_glue.clear();
    }
    AddGlue("compute/after-update");
}

void
TorchStepAnatomy::AddPart(TorchWork work, const std::string& name, uint32_t event)
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

void
TorchStepAnatomy::AddGlue(const std::string& name)
{
    AddPart(TorchWork::OTHER,
            name,
            m_glue.empty() ? TorchEvent::NONE : m_step.outer[m_glue.front()]);
    for (const uint32_t waiting : m_glue)
    {
        m_step.outerPart[waiting] = m_step.parts.size() - 1;
    }
    m_glue.clear();
}

} // namespace ns3::dml
