/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PARAGRAPH_H
#define DML_PARAGRAPH_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief Append text in lines of at most 80 columns, broken between words.
 * @param out where to append
 * @param first what the first line starts with; the others start with as many spaces
 * @param text words
 */
void AppendParagraph(std::string& out, const std::string& first, const std::string& text);

/// @param n how many @param what one of them, whose plural ends with s @return such as "2 runs"
std::string Plural(uint64_t n, const std::string& what);

} // namespace dml
} // namespace ns3

#endif /* DML_PARAGRAPH_H */
