/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-workers-per-host.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace ns3::dml
{

bool
WorkersPerHost::AreShared() const
{
    return m_list.empty() ? m_each > 1 : *std::max_element(m_list.begin(), m_list.end()) > 1;
}

uint64_t
WorkersPerHost::GetTotal() const
{
    return std::accumulate(m_list.begin(), m_list.end(), uint64_t{0});
}

uint32_t
WorkersPerHost::FindHost(uint32_t worker) const
{
    if (m_list.empty())
    {
        return worker / m_each;
    }
    uint32_t host = 0;
    for (uint64_t end = m_list[0]; end <= worker && host + 1 < m_list.size(); end += m_list[host])
    {
        ++host;
    }
    return host;
}

uint64_t
WorkersPerHost::FindFirstWorker(uint32_t host) const
{
    if (m_list.empty())
    {
        return uint64_t{host} * m_each;
    }
    const auto end = m_list.begin() + std::min<std::size_t>(host, m_list.size());
    return std::accumulate(m_list.begin(), end, uint64_t{0});
}

} // namespace ns3::dml
