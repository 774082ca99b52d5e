/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_WAITING_H
#define DML_PLOT_WAITING_H

#include "dml-plot-script.h"

#include "ns3/dml-result-summary.h"

#include <string>

namespace ns3::dml
{

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

#endif /* DML_PLOT_WAITING_H */
