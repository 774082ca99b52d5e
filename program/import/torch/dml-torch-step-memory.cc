/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Memory that was allocated in a step.
struct MemoryBlock
{
    uint64_t bytes{0};  //!< size
    uint32_t part{0};   //!< in which it came
    std::size_t end{0}; //!< in which it went; number of parts: later than the step
    uint32_t keeper{0}; //!< forward part whose activation it is; NONE: none's
    bool stays{false};  //!< when the backward pass is over, and is no forward part's: no workspace
};

/// Sorts the blocks of one step.
class TorchBlockSorter
{
  public:
    TorchBlockSorter(const TorchRun& run, TorchStep& step)
        : m_trace(run.trace),
          m_step(step),
          m_device(run.gpu.empty() ? TorchAllocation::CPU : TorchAllocation::GPU),
          m_events(step.parts.size())
    {
    }

    /// @return false if nothing tells what parts hold
    bool Sort()
    {
        FindPasses();
        FindBlocks();
        if (m_blocks.empty() || m_lastForward == TorchEvent::NONE ||
            m_lastAccumulation == TorchEvent::NONE)
        {
            return false;
        }
        for (auto& block : m_blocks)
        {
            Classify(block);
            if (block.keeper != TorchEvent::NONE)
            {
                m_step.parts[block.keeper].memory.activation += block.bytes;
            }
        }
        FindWorkspaces();
        return true;
    }

  private:
    /// Last forward part and last accumulation.
    void FindPasses()
    {
        for (uint32_t part = 0; part < m_step.parts.size(); ++part)
        {
            const TorchWork work = m_step.parts[part].work;
            m_lastForward = work == TorchWork::FORWARD ? part : m_lastForward;
            m_lastAccumulation = work == TorchWork::ACCUMULATE ? part : m_lastAccumulation;
        }
    }

    /// @return part that runs at a time, or ran last before it
    uint32_t FindPart(int64_t time) const
    {
        const auto after = std::upper_bound(
            m_step.outer.begin(),
            m_step.outer.end(),
            time,
            [this](int64_t t, const auto& outer) {
                return t < std::max(m_trace.events[outer.event].start, outer.start);
            });
        return after == m_step.outer.begin() ? 0 : std::prev(after)->part;
    }

    void FindBlocks()
    {
        std::map<uint64_t, std::size_t> there; // blocks by address
        for (const auto& event : m_trace.allocations)
        {
            // The allocator is called by the host, which may be ahead of the device.
            if (event.device != m_device || event.time < m_step.time.hostStart)
            {
                continue;
            }
            if (event.time >= m_step.time.hostEnd)
            {
                break;
            }
            const uint32_t part = FindPart(event.time);
            if (event.bytes > 0)
            {
                there[event.address] = m_blocks.size();
                m_events[part].emplace_back(m_blocks.size(), true);
                m_blocks.push_back({static_cast<uint64_t>(event.bytes), part, m_step.parts.size()});
            }
            else if (const auto block = there.find(event.address); block != there.end())
            {
                m_blocks[block->second].end = part;
                m_events[part].emplace_back(block->second, false);
                there.erase(block);
            }
        }
    }

    void Classify(MemoryBlock& block) const
    {
        block.keeper = TorchEvent::NONE;
        const bool forward = m_step.parts[block.part].work == TorchWork::FORWARD;
        block.stays = !forward && block.end > m_lastAccumulation;
        if (!forward || block.end <= m_lastForward)
        {
            return;
        }
        if (block.end > m_lastAccumulation)
        {
            block.keeper = HasNodes(block.part) ? block.part : TorchEvent::NONE;
            return;
        }
        for (uint32_t part = block.end; part > m_lastForward; --part)
        {
            const TorchPart& node = m_step.parts[part];
            if (node.work == TorchWork::BACKWARD && node.forward != TorchEvent::NONE)
            {
                // what is released behind the node of an op before it came belongs to its own
                block.keeper = std::max(node.forward, block.part);
                return;
            }
        }
    }

    /// @return whether a node of the backward pass is of a forward part
    bool HasNodes(uint32_t part) const
    {
        return std::any_of(m_step.parts.begin(), m_step.parts.end(), [part](const auto& other) {
            return other.work == TorchWork::BACKWARD && other.forward == part;
        });
    }

    /// The highest level in each part of what nothing keeps, or not yet.
    void FindWorkspaces()
    {
        std::vector<std::vector<std::size_t>> keeps(m_step.parts.size()); // blocks by keeper
        for (std::size_t i = 0; i < m_blocks.size(); ++i)
        {
            if (m_blocks[i].keeper != TorchEvent::NONE)
            {
                keeps[m_blocks[i].keeper].push_back(i);
            }
        }
        std::vector<bool> counts(m_blocks.size(), false); // whether it is in the level
        uint64_t level = 0;
        const auto count = [&](std::size_t block, bool comes) {
            if (counts[block] != comes)
            {
                counts[block] = comes;
                level += comes ? m_blocks[block].bytes : -m_blocks[block].bytes;
            }
        };
        for (uint32_t part = 0; part < m_step.parts.size(); ++part)
        {
            for (const std::size_t block : keeps[part])
            {
                count(block, false);
            }
            uint64_t highest = level;
            for (const auto& [block, comes] : m_events[part])
            {
                const MemoryBlock& known = m_blocks[block];
                count(block, comes && !known.stays && known.keeper != part);
                highest = std::max(highest, level);
            }
            const TorchWork work = m_step.parts[part].work;
            if (work == TorchWork::FORWARD || work == TorchWork::BACKWARD ||
                work == TorchWork::ACCUMULATE)
            {
                m_step.parts[part].memory.workspace = highest;
            }
        }
    }

    const TorchTrace& m_trace;                     //!< what was recorded
    TorchStep& m_step;                             //!< the step
    TorchAllocation::Device m_device;              //!< device with the memory
    uint32_t m_lastForward{TorchEvent::NONE};      //!< part
    uint32_t m_lastAccumulation{TorchEvent::NONE}; //!< part
    std::vector<MemoryBlock> m_blocks;             //!< in the order in which they came
    /// By part, in order: a block, and whether it comes or goes.
    std::vector<std::vector<std::pair<std::size_t, bool>>> m_events;
};

} // namespace

bool
FindTorchMemory(const TorchRun& run, TorchStep& step)
{
    return !step.outer.empty() && TorchBlockSorter(run, step).Sort();
}

} // namespace ns3::dml
