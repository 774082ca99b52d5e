/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_YAML_MISTAKE_H
#define DML_YAML_MISTAKE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ns3::dml
{

/// What people do wrong in YAML, and where.
struct YamlMistake
{
    uint32_t line{0};   //!< from 1
    uint32_t column{0}; //!< in bytes, from 1
    std::string text;   //!< "found ...; accepted: ..."
};

/**
 * @brief Put the missing space behind a key.
 * @param text such as "steps:20"
 * @return such as "steps: 20"; an empty text unless it starts with a key and a colon without space
 */
std::string SuggestSpace(std::string_view text);

/**
 * @brief Find the mistake that made a YAML parser give up, often a line later.
 *
 * Known are: a key without a space behind its colon ("steps:20"), a line without any colon, a line
 * that is indented deeper than the one before, and a bracket that nothing closes.
 * @param text a YAML document
 * @param line where the parser gave up, from 1
 * @return the mistake, if it is one of these
 */
std::optional<YamlMistake> FindYamlMistake(const std::string& text, uint32_t line);

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

#endif /* DML_YAML_MISTAKE_H */
