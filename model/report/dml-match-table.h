/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MATCH_TABLE_H
#define DML_MATCH_TABLE_H

#include "dml-result-summary.h"

#include <string>
#include <vector>

namespace ns3::dml
{

class ResultFile;

/// What the runs of a configuration and an engine say together.
struct MatchSummary
{
    Confidence slower;      //!< links % slower, mean of the runs; no count: not known
    double raw{0};          //!< recorded over predicted durations, less 1, per cent
    std::size_t steps{0};   //!< number of steps that were compared
    double overlap{0};      //!< of a model's step that lies behind the next begin, per cent
    std::size_t unknown{0}; //!< runs of which #slower is not known
    std::string obstacle;   //!< why it is not known of the first of these, or empty
};

/// @param engine its runs @return what they say
MatchSummary SummarizeMatches(const EngineSummary& engine);

/**
 * @ingroup dml-report
 * @brief How far off the fair-share engine's links are when it predicts steps of other engines from
 * the instants at which they began.
 * @param cases of one variant
 * @return a table of at most 80 columns; nothing if nothing was predicted so
 */
std::string FormatMatches(const std::vector<const CaseSummary*>& cases);

/// @param summary of a study @return whether steps of a run were predicted, or why they were not
bool HasMatches(const RunSummary& summary);

/**
 * @brief Write a row for each run whose steps were predicted: variant, workers, engine,
 * replication, links_slower_percent, ci95, raw_percent, gain, spread_ratio, overlap_percent, steps,
 * undefined_because.
 * @param file to write to
 * @param summary has the runs
 */
void WriteMatchedCsv(ResultFile& file, const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_MATCH_TABLE_H */
