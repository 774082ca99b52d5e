/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_GAPS_H
#define DML_STEP_GAPS_H

#include "dml-measured-job.h"

#include "ns3/dml-op.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/// Places of a step's ops by name.
using StepOpPlaces = std::unordered_map<std::string, OpIndex>;

/// A time during which no op of a step runs.
struct StepGap
{
    static constexpr std::size_t NOBODY = SIZE_MAX; //!< value of `op` of an empty step

    int64_t length{0};      //!< ns
    std::size_t op{NOBODY}; //!< place of the op that starts at its end, or of the last one to end
};

/**
 * @ingroup dml-import
 * @brief The times of a step during which none of its ops runs, in order.
 *
 * The record of a transfer may start when it was asked for, which is no time on the wire: it counts
 * from the time when the ops that it waits for have ended.
 * @param step a step; starts and durations at most 4e18 ns
 * @param places its ops by name
 * @return the gaps
 */
std::vector<StepGap> FindStepGaps(const MeasuredStep& step, const StepOpPlaces& places);

} // namespace ns3::dml

#endif /* DML_STEP_GAPS_H */
