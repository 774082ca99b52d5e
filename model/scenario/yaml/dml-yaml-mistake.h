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

} // namespace ns3::dml

#endif /* DML_YAML_MISTAKE_H */
