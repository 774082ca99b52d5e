/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PHASE_PARTS_H
#define DML_PHASE_PARTS_H

#include "dml-match-effects.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @param pulls by step, number of workers at the begin of its pull phase
 * @param pushes by step, number of workers at the begin of its push phase
 * @param pullText name of a part of pulls, before the number
 * @param pushText name of a part of pushes, before the number
 * @return parts by phase and class of numbers
 */
EffectParts DivideByNumber(const std::vector<uint32_t>& pulls,
                           const std::vector<uint32_t>& pushes,
                           const std::string& pullText,
                           const std::string& pushText);

} // namespace ns3::dml

#endif /* DML_PHASE_PARTS_H */
