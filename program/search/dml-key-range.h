/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KEY_RANGE_H
#define DML_KEY_RANGE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-search
 * @brief A key of a scenario and the values that are tried for it.
 *
 * Values are on a logarithmic scale if the largest one is at least ten times the smallest one.
 */
class KeyRange
{
  public:
    /**
     * @param text "key.path=LOW..HIGH"; both ends are sizes (64KB), times (5ms), integers or
     * decimals
     * @throws InputError if it is not of this form, or LOW is not below HIGH
     */
    explicit KeyRange(const std::string& text);

    /// @return path of the key
    const std::string& GetKey() const;

    /// @param place from 0 for LOW to 1 for HIGH @return the value there, as a scenario has it
    std::string GetValue(double place) const;

  private:
    /// What values are.
    enum class Unit : uint8_t
    {
        BYTES,
        NANOSECONDS,
        INTEGER,
        DECIMAL,
    };

    std::string m_key;         //!< path
    Unit m_unit{Unit::BYTES};  //!< of the values
    double m_low{0};           //!< smallest one
    double m_high{0};          //!< largest one
    bool m_logarithmic{false}; //!< scale
};

/// @param text ranges, separated by commas @return them
/// @throws InputError as KeyRange(), or if a key is there twice
std::vector<KeyRange> ReadKeyRanges(const std::string& text);

} // namespace ns3::dml

#endif /* DML_KEY_RANGE_H */
