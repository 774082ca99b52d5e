/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_TIMELINE_H
#define DML_PLOT_TIMELINE_H

#include "dml-plot-script.h"
#include "dml-plot-timeline-collector.h"

#include "ns3/dml-profile.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief What worker 0 does when, one row per resource, and the steps of all workers below; two
 * panels per run, all with the same time scale.
 *
 * @param title of the plot
 * @param profile kinds of the ops and names of the devices
 * @param series one per run, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotTimeline(const std::string& title,
                        const Profile& profile,
                        const std::vector<TimelineSeries>& series,
                        const std::string& name = "timeline");

} // namespace ns3::dml

#endif /* DML_PLOT_TIMELINE_H */
