/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PARAGRAPH_H
#define DML_PARAGRAPH_H

#include "dml-plural.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Append text in lines of at most 80 columns, broken between words.
 * @param out where to append
 * @param first what the first line starts with; the others start with as many spaces
 * @param text words
 */
void AppendParagraph(std::string& out, const std::string& first, const std::string& text);

} // namespace ns3::dml

#endif /* DML_PARAGRAPH_H */
