/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CSV_NAME_H
#define DML_CSV_NAME_H

#include <optional>
#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief A name or another text as a field of a CSV file, in one line, which neither a terminal nor
 * a spreadsheet takes for a command.
 *
 * Control characters are written as "\n", "\t", "\r" or "\x1b", and a backslash as two of them. A
 * text that begins with '=', '+', '-' or '@', and is no number, gets an apostrophe in front, as
 * does one that begins with apostrophes before such a character: spreadsheets would calculate the
 * first, and ReadCsvName() would take the second for it. Then it is quoted if RFC 4180 wants it to
 * be.
 * @param text any bytes
 * @return the field
 */
std::string WriteCsvName(std::string_view text);

/// @param value a number, if it is known @return its field: nine digits; empty if it is not known
std::string WriteCsvNumber(std::optional<double> value);

/// @param field of WriteCsvName(), without the quotes of RFC 4180 @return what it was made of
std::string ReadCsvName(std::string_view field);

} // namespace ns3::dml

#endif /* DML_CSV_NAME_H */
