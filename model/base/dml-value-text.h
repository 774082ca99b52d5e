/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_VALUE_TEXT_H
#define DML_VALUE_TEXT_H

#include <string>

namespace ns3::dml
{

/**
 * @brief A number with about four significant digits and as many decimals as that takes.
 * @param value the number
 * @return text such as "0.1234", "12.34", "1234" or "1.2e+06"
 */
std::string FormatValue(double value);

/// @param value magnitude; @return decimals that give it four significant digits, at most four
int GetDecimals(double value);

/// @param value number; @param decimals after the point; @return text
std::string FormatFixed(double value, int decimals);

} // namespace ns3::dml

#endif /* DML_VALUE_TEXT_H */
