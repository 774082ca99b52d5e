/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_THROUGHPUT_H
#define DML_PLOT_THROUGHPUT_H

#include "dml-plot-script.h"

#include "ns3/dml-result-summary.h"

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

} // namespace ns3::dml

#endif /* DML_PLOT_THROUGHPUT_H */
