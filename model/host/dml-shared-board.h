/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARED_BOARD_H
#define DML_SHARED_BOARD_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Texts that processes leave for each other: memory that a process shares with those that it
 * makes. It ends with them, so that nothing is left behind.
 */
class SharedBoard
{
  public:
    /// Longest key.
    static constexpr std::size_t MOST_KEY = 63;

    /// Most texts of an owner.
    static constexpr uint32_t MOST_TEXTS = 4;

    /// @param owners who leave texts @param size most bytes of each @throws RunError without memory
    SharedBoard(uint32_t owners, std::size_t size);
    ~SharedBoard();
    SharedBoard(const SharedBoard&) = delete;
    SharedBoard& operator=(const SharedBoard&) = delete;

    /// @param owner number of this process, nobody else's @param key of the text @param text to
    /// leave
    /// @throws RunError if it does not fit
    void Set(uint32_t owner, const std::string& key, const std::string& text);

    /// @param key any @return its text, if somebody has left it
    std::optional<std::string> Get(const std::string& key) const;

  private:
    struct Slot;

    Slot* GetSlot(uint32_t slot) const;

    uint32_t m_slots;        //!< number of texts
    std::size_t m_size;      //!< most bytes of each
    char* m_memory{nullptr}; //!< shared
};

} // namespace ns3::dml

#endif /* DML_SHARED_BOARD_H */
