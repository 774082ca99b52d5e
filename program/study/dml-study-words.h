/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_WORDS_H
#define DML_STUDY_WORDS_H

#include "ns3/dml-confidence.h"

#include <cstddef>
#include <string>

namespace ns3::dml
{

/**
 * @param difference of two quantities
 * @param decimals digits after the point
 * @param unit after the difference
 * @return it in per cent with its interval, or the least and the greatest of few pairs: "-8.1
 * (-8.3..-7.9)", or "-"
 */
std::string PercentText(const RelativeDifference& difference,
                        int decimals,
                        const std::string& unit = "");

/// @param text any @param width of it at most, above 3 @return its end, as names differ most there
std::string KeepEnd(std::string text, std::size_t width);

/// @param seconds an estimate @return "0.042 s" or "4 min 10 s"
std::string RoughDuration(double seconds);

/// @param seconds that were measured @return "42.3 s" or "20 min 34 s", in three digits
std::string SpentTime(double seconds);

} // namespace ns3::dml

#endif /* DML_STUDY_WORDS_H */
