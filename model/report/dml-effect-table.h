/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EFFECT_TABLE_H
#define DML_EFFECT_TABLE_H

#include "dml-run-finding.h"

#include "ns3/dml-effect-bias.h"

#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

class ResultFile;

/// What parts of effects add to the bias of the fair-share engine.
using RunEffects = RunFinding<EffectBias>;

/**
 * @param runs of all variants
 * @return a table of each variant, of at most 80 columns: the whole bias, and by effect its parts,
 * which add up to it; with a question mark where it may be 0
 */
std::string FormatEffectBiases(const std::vector<RunEffects>& runs);

/**
 * @param runs of one configuration and engine
 * @param effects names of effects
 * @return lines of at most 80 columns: the whole bias, and those parts of these effects that are
 * certainly not 0; or why nothing is known
 */
std::string FormatCertainParts(const std::vector<RunEffects>& runs,
                               const std::set<std::string>& effects);

/**
 * @brief Write a row for each run, effect and part: variant, workers, engine, replication, effect,
 * part, recorded_s, predicted_s, links_slower_percent, ci95, undefined_because.
 * @param file to write to @param runs of all variants
 */
void WriteEffectCsv(ResultFile& file, const std::vector<RunEffects>& runs);

} // namespace ns3::dml

#endif /* DML_EFFECT_TABLE_H */
