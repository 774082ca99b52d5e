/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-memory.h"

#include "dml-burst-port.h"

#include "ns3/dml-shared-buffer.h"

#include <algorithm>

namespace ns3::dml
{

void
BurstMemory::Use(BurstPort& port)
{
    if (std::find(m_ports.begin(), m_ports.end(), &port) == m_ports.end())
    {
        m_ports.push_back(&port);
    }
}

double
BurstMemory::FindLimit(double now, const BurstPort& port)
{
    const auto empty = [now](const BurstPort* each) { return each->IsEmptyFrom(now); };
    m_ports.erase(std::remove_if(m_ports.begin(), m_ports.end(), empty), m_ports.end());
    double others = 0;
    for (const BurstPort* other : m_ports)
    {
        others += other == &port ? 0 : other->GetContent(now);
    }
    return GetDynamicLimit(m_bytes, port.GetAlpha(), others);
}

} // namespace ns3::dml
