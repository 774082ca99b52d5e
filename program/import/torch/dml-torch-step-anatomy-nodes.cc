/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-step-anatomy.h"

#include <set>

namespace ns3::dml
{

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

void
TorchStepAnatomy::AddNode(TorchPart& part)
{
    const TorchEvent& event = m_trace.events[part.event];
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
    part.node = GetTorchNode(m_trace.GetName(event));
    ++m_counts.nodes;
    const auto owner = m_owners.find(event.sequence);
    const auto forward = owner == m_owners.end() ? m_forwardParts.end()
                                                 : m_forwardParts.find(m_outer[owner->second]);
    if (forward != m_forwardParts.end())
    {
        part.forward = forward->second;
    }
    // Without sequence numbers it gets its name when it has been matched.
    if (m_counts.sequences)
    {
        NameNode(part);
    }
}

void
TorchStepAnatomy::NameNode(TorchPart& part)
{
    const bool matched = part.forward != TorchEvent::NONE;
    m_counts.matched += matched ? 1 : 0;
    const std::string name =
        "backward/" + (matched ? m_step.parts[part.forward].op + "/" : "") + part.node;
    const uint32_t count = ++m_names[name];
    part.name = name + (count > 1 || !matched ? "_" + std::to_string(count) : "");
}

void
TorchStepAnatomy::MatchByName()
{
    // What each forward op may have created.
    std::vector<std::pair<uint32_t, std::set<std::string>>> open;
    std::unordered_map<uint32_t, std::size_t> places;
    for (uint32_t p = 0; p < m_step.parts.size(); ++p)
    {
        if (m_step.parts[p].work == TorchWork::FORWARD)
        {
            places.emplace(m_step.parts[p].event, open.size());
            open.emplace_back(p, std::set<std::string>());
        }
    }
    for (const uint32_t i : m_inside)
    {
        const auto place = m_outer[i] == TorchEvent::NONE ? places.end() : places.find(m_outer[i]);
        if (place != places.end())
        {
            open[place->second].second.insert(GetTorchNodeKey(m_trace.GetName(m_trace.events[i])));
        }
    }
    std::unordered_map<std::string, std::vector<uint32_t>> candidates; // parts, the last at the end
    for (const auto& [forward, keys] : open)
    {
        for (const std::string& key : keys)
        {
            candidates[key].push_back(forward);
        }
    }
    const auto match = [&](TorchPart& part) {
        const auto found = candidates.find(GetTorchNodeKey(part.node));
        if (found != candidates.end() && !found->second.empty())
        {
            part.forward = found->second.back();
            found->second.pop_back();
        }
        NameNode(part);
    };
    uint32_t node = TorchEvent::NONE;
    for (uint32_t p = 0; p < m_step.parts.size(); ++p)
    {
        TorchPart& part = m_step.parts[p];
        if (part.work == TorchWork::BACKWARD)
        {
            match(part);
            node = p;
        }
        else if (part.work == TorchWork::ACCUMULATE && node != TorchEvent::NONE)
        {
            part.forward = m_step.parts[node].forward;
        }
    }
}

} // namespace ns3::dml
