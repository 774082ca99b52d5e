/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_SUMMARY_H
#define DML_PLOT_SUMMARY_H

#include "dml-plot-script.h"

#include "ns3/dml-result-summary.h"
#include "ns3/dml-sweep-summary.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Throughput against the number of workers: engines with 95 % intervals, baselines, and
 * the ideal line of a throughput in proportion to W.
 *
 * The ideal line goes through the throughput of the smallest W (fair-share where it ran, else
 * packet) and may leave the plot at the top.
 *
 * @param summary the results
 * @param variant name of the variant to draw (CaseSummary::GetVariantName()), empty without sweep
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotThroughput(const RunSummary& summary,
                          const std::string& variant = "",
                          const std::string& name = "throughput");

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

/**
 * @ingroup dml-report
 * @brief How much of a step each worker works, and how much it waits for others: a stacked bar per
 * worker, whose height is the mean step; one panel per engine, all with the same scale.
 *
 * All replications together. Workers of whose steps it is not known when they were done have no
 * bar.
 *
 * @param item the case that is drawn
 * @param study name of the study, for the title
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotWaiting(const CaseSummary& item,
                       const std::string& study,
                       const std::string& name = "waiting");

} // namespace ns3::dml

#endif /* DML_PLOT_SUMMARY_H */
