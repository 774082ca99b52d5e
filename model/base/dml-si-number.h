/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SI_NUMBER_H
#define DML_SI_NUMBER_H

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief A number in three digits at most, with a decimal prefix instead of an exponent.
 * @param value 0 or more, below 10^27
 * @param unit what there are so many of
 * @return such as "3.67 TB" of a unit of one letter, and "2.52 G segments" of a word
 */
std::string FormatSi(double value, const std::string& unit);

/// @param bitsPerSecond a rate, 0 or more @return it in four digits, such as "8 Gbit/s"
std::string FormatBitRate(double bitsPerSecond);

} // namespace ns3::dml

#endif /* DML_SI_NUMBER_H */
