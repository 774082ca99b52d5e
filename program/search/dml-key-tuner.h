/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KEY_TUNER_H
#define DML_KEY_TUNER_H

#include <cstdint>
#include <functional>
#include <optional>
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
    const std::string& GetKey() const
    {
        return m_key;
    }

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

/// Values that were tried together.
struct KeyTrial
{
    std::vector<std::string> values; //!< one for each key
    std::optional<double> score;     //!< the larger the better; nothing: they were refused
};

/**
 * @brief Search for the values of keys with the largest score.
 *
 * A global search (NLopt's DIRECT-L: Gablonsky and Kelley, J. Global Optimization 21, 2001), which
 * needs no derivatives and gives the same trials for the same scores; the last third of the
 * trials search around the best one (NLopt's Subplex: Rowan, 1990). Values that were tried before
 * are not tried again.
 *
 * @param ranges keys and their values, at least one
 * @param trials most trials, at least 1
 * @param score of values, one for each key; nothing where they do not fit together
 * @param told of each trial, as it ends
 * @return all trials, in order
 */
std::vector<KeyTrial> TuneKeys(
    const std::vector<KeyRange>& ranges,
    uint32_t trials,
    const std::function<std::optional<double>(const std::vector<std::string>&)>& score,
    const std::function<void(const KeyTrial&)>& told);

/// @param trials some @return the best one; nothing: all were refused
std::optional<KeyTrial> FindBest(const std::vector<KeyTrial>& trials);

} // namespace ns3::dml

#endif /* DML_KEY_TUNER_H */
