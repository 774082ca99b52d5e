/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-meter.h"

namespace ns3::dml
{

namespace
{

std::size_t
GetIndex(Direction direction)
{
    return direction == Direction::UPLINK ? 1 : 0;
}

} // namespace

TransferMeter::TransferMeter(uint32_t workers, uint32_t tensors, const FirstSteps& first)
    : m_workers(workers),
      m_first(first),
      m_tensors(2 * tensors)
{
}

void
TransferMeter::On(const TransferRecord& record)
{
    const bool known = record.ready != UNKNOWN_TIME && record.firstByte != UNKNOWN_TIME;
    const uint32_t worker = GetWorker(record.channel);
    if (worker >= m_workers || !m_first.Count(worker, record.step) || !known)
    {
        return;
    }
    const auto add = [&record](TransferTimes& times) {
        times.wait.Add(record.firstByte - record.ready);
        times.transfer.Add(record.lastByte - record.firstByte);
    };
    const std::size_t direction = GetIndex(GetDirection(record.channel));
    add(m_all[direction]);
    if (!m_tensors.empty())
    {
        add(m_tensors.at(2 * record.tensor + direction));
    }
}

const TransferTimes&
TransferMeter::GetTimes(Direction direction) const
{
    return m_all[GetIndex(direction)];
}

} // namespace ns3::dml
