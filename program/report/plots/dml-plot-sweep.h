/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_SWEEP_H
#define DML_PLOT_SWEEP_H

#include "dml-plot-script.h"

#include "ns3/dml-sweep-summary.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Throughput over the values of the key of which a sweep has most: a curve for each number
 * of workers and each combination of the other keys' values.
 *
 * Of more curves than there are colours, those of the largest number of workers come first.
 *
 * @param sweep at least one variant
 * @param study its name, for the title
 * @return the plot
 */
PlotScript PlotSweep(const SweepSummary& sweep, const std::string& study);

} // namespace ns3::dml

#endif /* DML_PLOT_SWEEP_H */
