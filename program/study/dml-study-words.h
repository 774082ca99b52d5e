/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_WORDS_H
#define DML_STUDY_WORDS_H

#include <string>

namespace ns3
{
namespace dml
{

/// @param format as std::printf() has it @return the text
std::string FormatText(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// @param bitsPerSecond rate @return such as "10 Gbit/s"
std::string RateText(double bitsPerSecond);

/// @param seconds an estimate @return "0.042 s" or "4 min 10 s"
std::string RoughDuration(double seconds);

/// @param seconds that were measured @return "42.3 s" or "20 min 34 s", in three digits
std::string SpentTime(double seconds);

} // namespace dml
} // namespace ns3

#endif /* DML_STUDY_WORDS_H */
