/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TABLE_CELLS_H
#define DML_TABLE_CELLS_H

#include "ns3/dml-confidence.h"

#include <cstddef>
#include <string>

namespace ns3::dml
{

/// Columns of a terminal.
inline constexpr std::size_t LINE_WIDTH = 80;
/// Columns of FormatInterval(): mean (7), " +-" (3), half-width (7).
inline constexpr std::size_t INTERVAL_WIDTH = 17;
/// Columns of FormatDifference(): difference (6), its interval (11), mark (1).
inline constexpr std::size_t DIFFERENCE_WIDTH = 18;

/// @param text a cell @param width of its column @return it, flush right
std::string Right(const std::string& text, std::size_t width);

/// @param value a mean and its interval @return "mean +- half-width", of too few values for an
/// interval "mean least..greatest"; "-" for what is undefined
std::string FormatInterval(const Confidence& value);

/**
 * @ingroup dml-report
 * @brief A difference in per cent and its interval (of too few pairs, the least and the greatest),
 * with a question mark if it may be 0.
 * @param difference it
 * @param grey whether to grey what may be 0, for a terminal
 * @return a cell of DIFFERENCE_WIDTH columns
 */
std::string FormatDifference(const RelativeDifference& difference, bool grey);

/// @param value per cent and its interval @param sign between them @return "mean +- half-width",
/// both with two digits; "-" in place of what is not known
std::string FormatPercent(const Confidence& value, const char* sign = "+-");

/// @param unknown number of runs of which something is not known @param runs number of all
/// @param why of the first one @return a line about them
std::string FormatUnknown(std::size_t unknown, std::size_t runs, const std::string& why);

/// @param remark text with names, which may be indented @return it in lines of at most LINE_WIDTH,
/// the later ones indented by two columns more
std::string WrapRemark(const std::string& remark);

} // namespace ns3::dml

#endif /* DML_TABLE_CELLS_H */
