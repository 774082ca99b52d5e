/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_PLOTS_H
#define DML_STUDY_PLOTS_H

#include "dml-case-result.h"
#include "dml-engine-table.h"
#include "dml-result-summary.h"

#include "ns3/dml-link-connections.h"
#include "ns3/dml-plot-script.h"
#include "ns3/dml-profile.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Add the plots of one run of each engine: links, timeline, gradients, devices, and batches
 * where these vary.
 * @param title of all of them
 * @param profile of the job
 * @param details of detailed runs, by engine; at least one
 * @param name makes the name of a plot's files
 * @param[in,out] plots gets them
 */
void AddRunPlots(const std::string& title,
                 const Profile& profile,
                 const std::map<EngineKind, CaseResult>& details,
                 const std::function<std::string(const char* plot)>& name,
                 std::vector<PlotScript>& plots);

/**
 * @brief Add the plot of how many connections meet on which links, where switches choose one of
 * several paths for each connection.
 * @param title of the plot
 * @param links that switches choose from; without any there is no plot
 * @param name makes the name of the plot's files
 * @param[in,out] plots gets it
 */
void AddConnectionPlot(const std::string& title,
                       const std::vector<MultipathLink>& links,
                       const std::function<std::string(const char* plot)>& name,
                       std::vector<PlotScript>& plots);

/**
 * @brief Add the plots of the steps of all configurations: how long they took, and where workers
 * wait for each other, how long they waited.
 * @param summary all results
 * @param[in,out] plots gets them
 */
void AddStepPlots(const RunSummary& summary, std::vector<PlotScript>& plots);

} // namespace ns3::dml

#endif /* DML_STUDY_PLOTS_H */
