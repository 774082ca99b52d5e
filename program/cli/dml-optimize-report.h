/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OPTIMIZE_REPORT_H
#define DML_OPTIMIZE_REPORT_H

#include "ns3/dml-strategy-passes.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A strategy and what it gives.
struct TriedStrategy
{
    Strategy strategy;           //!< which
    std::optional<double> score; //!< mean throughput, samples/s; nothing: it was refused
};

/// @param tried strategies @param now throughput of the scenario as it is
/// @return a table of the defaults and the best ones
std::string FormatStrategies(std::vector<TriedStrategy> tried, std::optional<double> now);

/// @param tried strategies @return how much the best one of all gives more than the best that was
/// not found by trying all; nothing if not all were tried
std::string DescribeGap(const std::vector<TriedStrategy>& tried);

/// @param timeline of gradients @return when they are ready, and how long reducing them takes
std::string DescribeTimeline(const GradientTimeline& timeline);

/// @param settings of a scenario, "key.path=value" @return the same as a part of it
std::string WriteSettings(const std::vector<std::string>& settings);

} // namespace ns3::dml

#endif /* DML_OPTIMIZE_REPORT_H */
