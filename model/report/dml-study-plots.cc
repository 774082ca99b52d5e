/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-plots.h"

#include "ns3/dml-plot-connections.h"
#include "ns3/dml-plot-summary.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return whether it is known of any step how long its worker waited
bool
IsWaitingKnown(const CaseSummary& item)
{
    return std::any_of(item.engines.begin(), item.engines.end(), [](const auto& engine) {
        return engine.second.GetSync().GetAll().known > 0;
    });
}

/// @return the case with most workers of the first variant whose workers wait for each other, or
/// null if there is none, or nothing is known of it
const CaseSummary*
FindWaitingCase(const RunSummary& summary)
{
    const CaseSummary* found = nullptr;
    for (const auto& item : summary.cases)
    {
        const bool next =
            !found || (item.variant == found->variant && item.workers > found->workers);
        if (next && item.workersWait && IsWaitingKnown(item))
        {
            found = &item;
        }
    }
    return found;
}

} // namespace

void
AddRunPlots(const std::string& title,
            const Profile& profile,
            const std::map<EngineKind, CaseResult>& details,
            const std::function<std::string(const char* plot)>& name,
            std::vector<PlotScript>& plots)
{
    std::vector<UtilisationSeries> utilisation;
    std::vector<TimelineSeries> timelines;
    std::vector<GradientSeries> gradients;
    std::vector<DeviceSeries> devices;
    std::vector<BatchSeries> batches;
    for (const auto& [engine, result] : details)
    {
        utilisation.push_back(*result.utilisation);
        timelines.push_back(*result.timeline);
        gradients.push_back(*result.gradients);
        devices.push_back(*result.devices);
        if (result.batches)
        {
            batches.push_back(*result.batches);
        }
    }
    plots.push_back(PlotUtilisation(title, utilisation, name("utilisation")));
    plots.push_back(PlotTimeline(title, profile, timelines, name("timeline")));
    plots.push_back(PlotGradients(title, gradients, name("gradients")));
    plots.push_back(PlotDevices(title, devices, name("devices")));
    if (!batches.empty())
    {
        plots.push_back(PlotBatches(title, batches, name("batch-sizes")));
    }
}

void
AddConnectionPlot(const std::string& title,
                  const std::vector<MultipathLink>& links,
                  const std::function<std::string(const char* plot)>& name,
                  std::vector<PlotScript>& plots)
{
    if (!links.empty())
    {
        plots.push_back(PlotConnections(title, links, name("connections")));
    }
}

void
AddStepPlots(const RunSummary& summary, std::vector<PlotScript>& plots)
{
    plots.push_back(PlotStepCdf(summary));
    if (const CaseSummary* item = FindWaitingCase(summary))
    {
        plots.push_back(PlotWaiting(*item, summary.name));
    }
}

} // namespace ns3::dml
