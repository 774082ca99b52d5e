/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FUSION_COSTS_H
#define DML_FUSION_COSTS_H

#include "dml-path-search.h"

#include <string>

namespace ns3::dml
{

/**
 * @brief Say what fusing each op with the next one saves.
 * @param costs a time, such as "5us": a launch, which each fusion saves; or the path of a CSV file
 *        with the columns first, second and seconds: what two ops take as one
 * @param scale of the job, by which the times of @p model were multiplied, and these are
 * @param model to be filled
 * @return a sentence about pairs that cannot be fused, or nothing
 * @throws InputError "file:line:column: ..." if it is neither
 */
std::string SetSavings(const std::string& costs, double scale, FusionModel& model);

/// @param without as --without has it: "coarse,partial" @return the shortcuts that are left
/// @throws InputError if it names something else
SearchShortcuts ReadShortcuts(const std::string& without);

} // namespace ns3::dml

#endif /* DML_FUSION_COSTS_H */
