/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-agreement.h"

#include <algorithm>

namespace ns3::dml
{

StepAgreement::StepAgreement(Answer answer)
    : m_answer(std::move(answer))
{
}

void
StepAgreement::Begin(uint32_t workers)
{
    m_workers = workers;
    m_told.clear();
}

void
StepAgreement::Take(uint32_t worker, int32_t call, uint32_t step)
{
    m_told[worker] = {call, step};
    if (m_told.size() < m_workers)
    {
        return;
    }
    const auto told = std::exchange(m_told, {});
    uint32_t highest = 0;
    for (const auto& [teller, entry] : told)
    {
        highest = std::max(highest, entry.second);
    }
    for (const auto& [teller, entry] : told)
    {
        m_answer(teller, entry.first, highest);
    }
}

} // namespace ns3::dml
