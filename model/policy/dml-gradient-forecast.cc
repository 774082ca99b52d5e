/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gradient-forecast.h"

#include <algorithm>

namespace ns3::dml
{

void
GradientForecast::Prepare(const std::vector<TransferInfo>& transfers)
{
    m_gradients.clear();
    m_places.clear();
    for (const auto& info : transfers)
    {
        if (info.generated >= 0)
        {
            m_gradients.push_back({info});
        }
    }
    std::stable_sort(
        m_gradients.begin(),
        m_gradients.end(),
        [](const Gradient& a, const Gradient& b) { return a.info.rank < b.info.rank; });
    for (uint32_t place = 0; place < m_gradients.size(); ++place)
    {
        const OpIndex transfer = m_gradients[place].info.transfer;
        if (transfer >= m_places.size())
        {
            m_places.resize(transfer + 1, NO_INDEX);
        }
        m_places[transfer] = place;
    }
}

void
GradientForecast::Generated(OpIndex transfer, double now)
{
    if (transfer >= m_places.size() || m_places[transfer] == NO_INDEX)
    {
        return;
    }
    Gradient& gradient = m_gradients[m_places[transfer]];
    if (gradient.come)
    {
        for (auto& other : m_gradients)
        {
            other.come = false;
        }
        m_toCome = m_gradients.size();
    }
    gradient.come = true;
    --m_toCome;
    m_offset = now - gradient.info.generated;
}

GradientForecast::Prediction
GradientForecast::GetNextBefore(uint32_t rank) const
{
    Prediction next;
    if (m_toCome == 0)
    {
        return next;
    }
    for (const auto& gradient : m_gradients)
    {
        if (gradient.info.rank >= rank)
        {
            break;
        }
        if (!gradient.come && m_offset + gradient.info.generated < next.time)
        {
            next = {gradient.info.transfer, m_offset + gradient.info.generated};
        }
    }
    return next;
}

} // namespace ns3::dml
