/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-graph-replay.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// What both orders share: the queues of the devices, and what ending an op releases.
class Replayer
{
  public:
    Replayer(const GlobalGraph& graph, const std::vector<double>& seconds)
        : m_graph(graph),
          m_seconds(seconds),
          m_waits(graph.GetWaits()),
          m_next(graph.GetSize(), NO_GLOBAL_OP),
          m_devices(graph.CountDevices())
    {
        m_execution.ops.resize(graph.GetSize());
        m_execution.order.reserve(graph.GetSize());
        for (GlobalOp op = 0; op < graph.GetSize(); ++op)
        {
            if (m_waits[op] == 0)
            {
                Enqueue(op);
            }
        }
    }

    /// A device that has work stands once in the heap: by READY_TIME until the end of the op that
    /// it serves, by DEVICE_TIME to begin one.
    ExecutionGraph Run(ReplayOrder order)
    {
        const bool begun = order == ReplayOrder::READY_TIME;
        std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
        const auto offer = [this, begun, &turns](uint32_t number) {
            auto& device = m_devices[number];
            if (device.waits || device.head == NO_GLOBAL_OP)
            {
                return;
            }
            device.waits = true;
            if (begun)
            {
                Begin(number);
            }
            turns.emplace(device.time, begun ? m_execution.order.size() : number, number);
        };
        for (uint32_t device = 0; device < m_devices.size(); ++device)
        {
            offer(device);
        }
        while (!turns.empty())
        {
            const uint32_t device = std::get<uint32_t>(turns.top());
            turns.pop();
            if (!begun)
            {
                Begin(device);
            }
            m_devices[device].waits = false;
            const GlobalOp op = m_devices[device].last;
            Release(op);
            for (const GlobalOp dependent : m_graph.GetDependents(op))
            {
                offer(m_graph.GetDevice(dependent));
            }
            offer(device);
        }
        return std::move(m_execution);
    }

  private:
    /// Device time; place in the order of starts, or the device: the lower one goes first; device.
    using Turn = std::tuple<double, uint64_t, uint32_t>;

    /// A device and its FIFO queue, linked by m_next.
    struct Device
    {
        double time{0};              //!< end of its last op
        GlobalOp last{NO_GLOBAL_OP}; //!< the last op
        GlobalOp head{NO_GLOBAL_OP}; //!< first of the queue
        GlobalOp tail{NO_GLOBAL_OP}; //!< last of the queue
        bool waits{false};           //!< it is in the heap
    };

    void Enqueue(GlobalOp op)
    {
        auto& device = m_devices[m_graph.GetDevice(op)];
        (device.head == NO_GLOBAL_OP ? device.head : m_next[device.tail]) = op;
        device.tail = op;
    }

    /// Serve the head of a device's queue.
    void Begin(uint32_t number)
    {
        auto& device = m_devices[number];
        const GlobalOp op = device.head;
        device.head = m_next[op];
        auto& replayed = m_execution.ops[op];
        replayed.previous = device.last;
        replayed.start = std::max(device.time, replayed.ready);
        replayed.end = replayed.start + m_seconds[op];
        device.last = op;
        device.time = replayed.end;
        m_execution.seconds = std::max(m_execution.seconds, replayed.end);
        m_execution.order.push_back(op);
    }

    /// What waits for an op has one thing less to wait for.
    void Release(GlobalOp op)
    {
        const double end = m_execution.ops[op].end;
        for (const GlobalOp dependent : m_graph.GetDependents(op))
        {
            auto& waiting = m_execution.ops[dependent];
            if (waiting.released == NO_GLOBAL_OP || end > waiting.ready)
            {
                waiting.ready = end;
                waiting.released = op;
            }
            if (--m_waits[dependent] == 0)
            {
                Enqueue(dependent);
            }
        }
    }

    const GlobalGraph& m_graph;           //!< what runs
    const std::vector<double>& m_seconds; //!< by op
    std::vector<uint32_t> m_waits;        //!< by op: what it still waits for
    std::vector<GlobalOp> m_next;         //!< by op: behind it in its device's queue
    std::vector<Device> m_devices;        //!< by number
    ExecutionGraph m_execution;           //!< what has run
};

} // namespace

ExecutionGraph
Replay(const GlobalGraph& graph, const std::vector<double>& seconds, ReplayOrder order)
{
    if (seconds.size() != graph.GetSize())
    {
        throw InputError("a graph of " + std::to_string(graph.GetSize()) +
                         " ops cannot be replayed with " + std::to_string(seconds.size()) +
                         " times");
    }
    // !(t >= 0) holds for NaN, too
    const auto bad = std::find_if(seconds.begin(), seconds.end(), [](double t) {
        return !(t >= 0) || t > std::numeric_limits<double>::max();
    });
    if (bad != seconds.end())
    {
        throw InputError("op " + std::to_string(bad - seconds.begin()) + " takes " +
                         std::to_string(*bad) + " s, not a time of at least 0");
    }
    return Replayer(graph, seconds).Run(order);
}

} // namespace ns3::dml
