/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SWEEP_SUMMARY_H
#define DML_SWEEP_SUMMARY_H

#include "dml-engine-table.h"
#include "dml-result-summary.h"

#include "ns3/dml-confidence.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// One variant of a sweep.
struct SweptVariant
{
    std::vector<std::pair<std::string, std::string>> values; //!< keys and their values
    std::map<uint32_t, Confidence> throughputs;              //!< samples/s, by number of workers
    /// Numbers of workers with which it cannot be distinguished from the fastest of several.
    std::set<uint32_t> mayBeFastest;
};

/**
 * @ingroup dml-report
 * @brief The throughputs of all variants of a sweep, in one engine: the one nearest to reality that
 * gave any.
 */
struct SweepSummary
{
    EngineKind engine{EngineKind::FAIR_SHARE}; //!< whose throughputs they are
    std::vector<SweptVariant> variants;        //!< in the order of the sweep
    std::vector<uint32_t> workers;             //!< numbers of workers of any, ascending
};

/// @param summary of a study @return its sweep; without variants if it has one configuration only
SweepSummary SummarizeSweep(const RunSummary& summary);

/**
 * @ingroup dml-report
 * @brief A sweep as one table of at most 80 columns: variants down, numbers of workers across.
 *
 * All variants that ChooseVariants() cannot distinguish from the fastest of a column have a star.
 * Of many numbers of workers six are shown, of many variants the first hundred.
 *
 * @param sweep at least one variant
 * @return lines, each with its line end
 */
std::string FormatSweep(const SweepSummary& sweep);

} // namespace ns3::dml

#endif /* DML_SWEEP_SUMMARY_H */
