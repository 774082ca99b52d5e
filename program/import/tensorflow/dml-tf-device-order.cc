/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-device-order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @return indices of ops, those that another one waits for before it, else by start and end; ops
/// that wait for each other in a circle are missing
std::vector<std::size_t>
SortOps(const std::vector<MeasuredOp>& ops)
{
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < ops.size(); ++i)
    {
        places.emplace(ops[i].name, i);
    }
    std::vector<std::vector<std::size_t>> readers(ops.size());
    std::vector<std::size_t> open(ops.size(), 0);
    for (std::size_t i = 0; i < ops.size(); ++i)
    {
        for (const std::string& dep : ops[i].deps)
        {
            if (const auto before = places.find(dep); before != places.end())
            {
                readers[before->second].push_back(i);
                ++open[i];
            }
        }
    }
    const auto isLater = [&ops](std::size_t a, std::size_t b) {
        return std::tie(ops[a].start, ops[a].duration, a) >
               std::tie(ops[b].start, ops[b].duration, b);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(isLater)> ready(isLater);
    for (std::size_t i = 0; i < ops.size(); ++i)
    {
        if (open[i] == 0)
        {
            ready.push(i);
        }
    }
    std::vector<std::size_t> order;
    while (!ready.empty())
    {
        const std::size_t next = ready.top();
        ready.pop();
        order.push_back(next);
        for (const std::size_t reader : readers[next])
        {
            if (--open[reader] == 0)
            {
                ready.push(reader);
            }
        }
    }
    return order;
}

/// What ran on a device so far.
class DeviceOrder
{
  public:
    /// @param ops of all devices; @param slots how many ops run at a time
    DeviceOrder(std::vector<MeasuredOp>& ops, uint32_t slots)
        : m_ops(ops),
          m_slots(slots)
    {
    }

    /// @param op the next one on this device; gets a dependency
    void Add(std::size_t op)
    {
        m_now = std::max(m_now, m_ops[op].start);
        if (m_slots == 1)
        {
            m_ended = m_last;
        }
        for (; m_slots > 1 && !m_running.empty() && m_running.top().first <= m_now; m_running.pop())
        {
            m_ended = m_running.top().second;
        }
        m_last = op;
        m_running.emplace(m_ops[op].start + m_ops[op].duration, op);
        std::vector<std::string>& deps = m_ops[op].deps;
        if (m_ended != NONE &&
            std::find(deps.begin(), deps.end(), m_ops[m_ended].name) == deps.end())
        {
            deps.push_back(m_ops[m_ended].name);
        }
    }

  private:
    static constexpr std::size_t NONE = SIZE_MAX; //!< no op

    using End = std::pair<int64_t, std::size_t>; //!< time, op

    std::vector<MeasuredOp>& m_ops; //!< of all devices
    uint32_t m_slots;               //!< ops at a time
    int64_t m_now{INT64_MIN};       //!< latest start, ns
    std::size_t m_last{NONE};       //!< op added last
    std::size_t m_ended{NONE};      //!< op that the next one waits for
    std::priority_queue<End, std::vector<End>, std::greater<End>> m_running; //!< by end
};

} // namespace

void
AddTfDeviceOrder(MeasuredStep& step, const std::map<std::string, uint32_t>& slots)
{
    std::map<std::string, DeviceOrder> devices;
    for (const std::size_t i : SortOps(step.ops))
    {
        const MeasuredOp& op = step.ops[i];
        if (RunsOnDevice(op.kind))
        {
            const auto known = slots.find(op.device);
            const uint32_t count = known != slots.end() ? known->second : 1;
            devices.try_emplace(op.device, step.ops, count).first->second.Add(i);
        }
    }
}

} // namespace ns3::dml
