/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_STEP_CDF_H
#define DML_PLOT_STEP_CDF_H

#include "dml-plot-script.h"

#include "ns3/dml-result-summary.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Distribution of normalised step times, after Fig. 12 (b) of TicTac; one panel per engine.
 *
 * The normalised time of a step is the shortest step / the step, 1 for the shortest, less for
 * slower ones, as in that figure; the shortest is that of all curves with the same number of
 * workers in the panel. A sharp curve means steps that take the same time. Curves: the variants of
 * a sweep, with the largest number of workers of each; or, if there is one variant, its numbers of
 * workers. At most eight are drawn; the title says so.
 *
 * @param summary all cases, with all replications
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotStepCdf(const RunSummary& summary, const std::string& name = "step-cdf");

} // namespace ns3::dml

#endif /* DML_PLOT_STEP_CDF_H */
