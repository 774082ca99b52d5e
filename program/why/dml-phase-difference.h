/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PHASE_DIFFERENCE_H
#define DML_PHASE_DIFFERENCE_H

#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-why
 * @brief In which phases of its steps another engine differs from fair-share, step by step from
 * the instants at which these began.
 * @param folder of results
 * @param workers number of workers of the runs, which are those of the first variant
 * @param engine of the runs
 * @param most bytes of transfers.csv that are read
 * @return lines of at most 80 columns: the bias, and the phases that certainly have a part in it,
 * or why they are not known; nothing if the results have no matched comparison, or are of
 * fair-share
 */
std::string FormatPhaseDifference(const std::string& folder,
                                  uint32_t workers,
                                  const std::string& engine,
                                  uint64_t most);

} // namespace ns3::dml

#endif /* DML_PHASE_DIFFERENCE_H */
