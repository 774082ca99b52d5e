/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WITHOUT_TABLE_H
#define DML_WITHOUT_TABLE_H

#include "dml-run-finding.h"

#include "ns3/dml-ratio-interval.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

class ResultFile;

/// The bias of the fair-share engine beside a run from which an effect was taken.
struct WithoutBias
{
    std::string effect;           //!< name of a MatchEffect; empty: the run as it was
    std::optional<double> slower; //!< as LinkBias::slower, per cent; nothing if it is not known
    /// Half of its 95 % interval within the run.
    std::optional<double> halfWidth;
    std::optional<double> change; //!< the bias of the run as it was less this one, per cent
    /// Half of its 95 % interval, of pairs of blocks of both runs.
    std::optional<double> changeHalfWidth;
    RatioBlocks blocks;   //!< whose ratio is the bias, for the interval of a difference
    std::string obstacle; //!< why the bias is not known, or empty
};

/// A run as it was, and without one effect after the other.
using RunWithout = RunFinding<WithoutBias>;

/**
 * @param runs of all variants
 * @return a table of each variant, of at most 80 columns: the bias with and without each effect,
 * and what the effect makes of it, with a question mark where that may be 0
 */
std::string FormatWithout(const std::vector<RunWithout>& runs);

/**
 * @brief Write a row for each run and effect: variant, workers, engine, replication, without,
 * links_slower_percent, ci95, effect_percent, effect_ci95, undefined_because.
 * @param file to write to @param runs of all variants
 */
void WriteWithoutCsv(ResultFile& file, const std::vector<RunWithout>& runs);

} // namespace ns3::dml

#endif /* DML_WITHOUT_TABLE_H */
