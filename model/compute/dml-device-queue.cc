/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-device-queue.h"

#include "ns3/assert.h"
#include "ns3/dml-grow.h"

#include <utility>

namespace ns3::dml
{

DeviceQueue::DeviceQueue(uint32_t slots, const DeviceSpeed* speed)
    : m_speed(speed),
      m_free(slots)
{
}

std::optional<ComputeTask>
DeviceQueue::Submit(const ComputeTask& task)
{
    if (m_free > 0)
    {
        --m_free;
        return task;
    }
    NS_ASSERT_MSG(m_waiting.empty() || m_waiting.back().ready <= task.ready,
                  "a task became ready before one that waits");
    PushBackGrowing(m_waiting, task);
    const auto goesFirst = [](const ComputeTask& late, const ComputeTask& early) {
        return late.op < early.op && late.ready == early.ready;
    };
    for (std::size_t i = m_waiting.size() - 1; i > 0 && goesFirst(m_waiting[i], m_waiting[i - 1]);
         --i)
    {
        std::swap(m_waiting[i - 1], m_waiting[i]);
    }
    return std::nullopt;
}

std::optional<ComputeTask>
DeviceQueue::Finish()
{
    if (m_waiting.empty())
    {
        ++m_free;
        return std::nullopt;
    }
    const ComputeTask next = m_waiting.front();
    m_waiting.pop_front();
    return next;
}

} // namespace ns3::dml
