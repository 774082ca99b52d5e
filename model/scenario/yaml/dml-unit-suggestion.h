/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_UNIT_SUGGESTION_H
#define DML_UNIT_SUGGESTION_H

#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @brief Find which size, rate or time was probably meant by one that cannot be read.
 *
 * Known are spaces, Greek letters for "micro", units in the wrong case, and units by other names
 * ("Gbit/s", "sec", "M"). Where the case of a unit decides between bits and bytes, rates are taken
 * as bits and sizes as bytes.
 * @param text as written
 * @return text that ParseSize(), ParseBitRate() or ParseNanoseconds() reads, or an empty one
 */
std::string SuggestSize(std::string_view text);

/// @param text a rate @return as SuggestSize()
std::string SuggestRate(std::string_view text);

/// @param text a time @return as SuggestSize()
std::string SuggestTime(std::string_view text);

/**
 * @brief Find which number was probably meant by a percentage or one with a comma.
 * @param text such as "0.1%" or "0,5"
 * @return the number as ParseNumber() reads it ("0.001", "0.5"), or an empty text
 */
std::string SuggestNumber(std::string_view text);

/**
 * @brief Find which list of integers was probably meant by a range or by integers with commas.
 * @param text such as "1-8", "1..8" or "1, 2, 4"
 * @return the list, such as "[1, 2, 4]"; of a range of more than 16 integers its ends and the
 * doubles of its start between them; an empty text if it is none
 */
std::string SuggestIntegers(std::string_view text);

} // namespace ns3::dml

#endif /* DML_UNIT_SUGGESTION_H */
