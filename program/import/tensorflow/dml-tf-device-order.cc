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

/// Part of a device's busy time during which more ops than it has slots may run.
constexpr double OVERLAP = 0.01;

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

/// @return how many ops each device runs at the same time
std::map<std::string, uint32_t>
FindSlots(const MeasuredStep& step)
{
    std::map<std::string, uint32_t> result;
    std::map<std::string, std::vector<std::pair<int64_t, int>>> changes; // time, +1 or -1
    for (const MeasuredOp& op : step.ops)
    {
        if (RunsOnDevice(op.kind))
        {
            changes[op.device].emplace_back(op.start, 1);
            changes[op.device].emplace_back(op.start + op.duration, -1);
        }
    }
    for (auto& [device, list] : changes)
    {
        std::sort(list.begin(), list.end());
        std::map<uint32_t, double> times; // ops at the same time -> ns
        double busy = 0;
        uint32_t running = 0;
        for (std::size_t i = 0; i < list.size(); ++i)
        {
            const double length = i > 0 ? list[i].first - list[i - 1].first : 0;
            if (running > 0)
            {
                times[running] += length;
                busy += length;
            }
            running += list[i].second;
        }
        uint32_t slots = 1;
        double above = 0;
        for (auto time = times.rbegin(); time != times.rend(); ++time)
        {
            above += time->second;
            if (above > OVERLAP * busy)
            {
                slots = time->first;
                break;
            }
        }
        result[device] = slots;
    }
    return result;
}

} // namespace

std::map<std::string, uint32_t>
OrderTfDevices(MeasuredStep& step, std::optional<ComputeOrder> order)
{
    const std::map<std::string, uint32_t> slots = FindSlots(step);
    if (order != ComputeOrder::MEASURED)
    {
        return slots;
    }
    std::map<std::string, DeviceOrder> devices;
    for (const std::size_t i : SortOps(step.ops))
    {
        const MeasuredOp& op = step.ops[i];
        if (RunsOnDevice(op.kind))
        {
            devices.try_emplace(op.device, step.ops, slots.at(op.device)).first->second.Add(i);
        }
    }
    return slots;
}

} // namespace ns3::dml
