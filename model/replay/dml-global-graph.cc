/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-global-graph.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::dml
{

GlobalGraph::GlobalGraph(std::vector<uint32_t> devices, Dependencies dependencies)
    : m_devices(std::move(devices)),
      m_first(m_devices.size() + 1),
      m_waits(m_devices.size())
{
    for (const uint32_t device : m_devices)
    {
        m_deviceCount = std::max(m_deviceCount, device + 1);
    }
    // mostly they come in order, and then sorting costs more than all the rest
    if (!std::is_sorted(dependencies.begin(), dependencies.end()))
    {
        std::sort(dependencies.begin(), dependencies.end());
    }
    m_dependents.reserve(dependencies.size());
    for (const auto& [before, after] : dependencies)
    {
        for (const GlobalOp op : {before, after})
        {
            if (op >= GetSize())
            {
                throw InputError("a dependency names op " + std::to_string(op) + " of only " +
                                 std::to_string(GetSize()));
            }
        }
        m_dependents.push_back(after);
        ++m_first[before + 1];
        ++m_waits[after];
    }
    for (uint32_t op = 0; op < GetSize(); ++op)
    {
        m_first[op + 1] += m_first[op];
    }
    CheckOrder();
}

void
GlobalGraph::CheckOrder() const
{
    auto waits = m_waits;
    std::vector<GlobalOp> ready;
    for (GlobalOp op = 0; op < GetSize(); ++op)
    {
        if (waits[op] == 0)
        {
            ready.push_back(op);
        }
    }
    uint32_t done = 0;
    while (!ready.empty())
    {
        const GlobalOp op = ready.back();
        ready.pop_back();
        ++done;
        for (const GlobalOp dependent : GetDependents(op))
        {
            if (--waits[dependent] == 0)
            {
                ready.push_back(dependent);
            }
        }
    }
    if (done == GetSize())
    {
        return;
    }
    // an op that is stuck need not be in a circle, but behind one: go back until one comes again
    std::vector<GlobalOp> before(GetSize());
    for (GlobalOp op = 0; op < GetSize(); ++op)
    {
        for (const GlobalOp dependent : GetDependents(op))
        {
            before[dependent] = waits[op] > 0 ? op : before[dependent];
        }
    }
    GlobalOp op = std::find_if(waits.begin(), waits.end(), [](uint32_t left) { return left > 0; }) -
                  waits.begin();
    for (std::vector<bool> seen(GetSize()); !seen[op]; op = before[op])
    {
        seen[op] = true;
    }
    throw InputError("op " + std::to_string(op) + " waits for itself, directly or through others");
}

} // namespace ns3::dml
