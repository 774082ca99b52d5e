/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shared-board.h"

#include "ns3/dml-error.h"

#include <atomic>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace ns3::dml
{

/// A text, whose bytes follow.
struct SharedBoard::Slot
{
    std::atomic<bool> there{false}; //!< the rest is complete
    char key[MOST_KEY + 1]{};       //!< ends with 0
    std::size_t size{0};            //!< of the text
};

SharedBoard::SharedBoard(uint32_t owners, std::size_t size)
    : m_slots(owners * MOST_TEXTS),
      m_size((size + alignof(Slot) - 1) / alignof(Slot) * alignof(Slot))
{
    const std::size_t bytes = m_slots * (sizeof(Slot) + m_size);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
    {
        throw RunError("no memory for what processes share");
    }
    m_memory = static_cast<char*>(memory);
    for (uint32_t slot = 0; slot < m_slots; ++slot)
    {
        new (GetSlot(slot)) Slot;
    }
}

SharedBoard::~SharedBoard()
{
    munmap(m_memory, m_slots * (sizeof(Slot) + m_size));
}

SharedBoard::Slot*
SharedBoard::GetSlot(uint32_t slot) const
{
    return reinterpret_cast<Slot*>(m_memory + slot * (sizeof(Slot) + m_size));
}

void
SharedBoard::Set(uint32_t owner, const std::string& key, const std::string& text)
{
    uint32_t slot = owner * MOST_TEXTS;
    const uint32_t end = slot + MOST_TEXTS;
    while (slot < end && GetSlot(slot)->there)
    {
        ++slot;
    }
    if (slot == end || end > m_slots || key.size() > MOST_KEY || text.size() > m_size)
    {
        throw RunError("what processes share does not fit: " + key + ", " +
                       std::to_string(text.size()) + " B");
    }
    Slot& target = *GetSlot(slot);
    std::memcpy(target.key, key.c_str(), key.size() + 1);
    target.size = text.size();
    std::memcpy(reinterpret_cast<char*>(&target + 1), text.data(), text.size());
    target.there = true;
}

std::optional<std::string>
SharedBoard::Get(const std::string& key) const
{
    for (uint32_t slot = 0; slot < m_slots; ++slot)
    {
        const Slot& source = *GetSlot(slot);
        if (source.there && key == source.key)
        {
            return std::string(reinterpret_cast<const char*>(&source + 1), source.size);
        }
    }
    return {};
}

} // namespace ns3::dml
