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
 * @brief The timeline of one run.
 */
struct TimelineSeries
{
    std::string engine;              //!< shown above its panels
    uint32_t workers{1};             //!< number of workers
    uint32_t firstStep{0};           //!< first step of worker 0 that is shown
    double start{0};                 //!< start of the time shown, s
    double end{0};                   //!< end of the time shown, s
    std::vector<ChunkRecord> chunks; //!< of worker 0
    std::vector<StepRecord> steps;   //!< of all workers

    /**
     * @param engine shown above the panels
     * @param workers number of workers
     * @param collector that has seen the run
     * @return the series
     */
    static TimelineSeries From(const std::string& engine,
                               uint32_t workers,
                               const TimelineCollector& collector);
};

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
