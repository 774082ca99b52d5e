/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study.h"

#include "ns3/dml-html-report.h"
#include "ns3/dml-plot-summary.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-result-file.h"

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
Study::PlotVariant(uint32_t variant, std::vector<PlotScript>& plots)
{
    const Scenario& scenario = m_plan.GetScenarios()[variant];
    const auto& sweep = scenario.job.workers;
    const std::string values = NameVariant(scenario.variant);
    const std::string title = m_summary.name + (values.empty() ? "" : ", " + values) + ", W = " +
                              std::to_string(*std::max_element(sweep.begin(), sweep.end()));
    const auto name = [variant](const char* plot) {
        return plot + (variant == 0 ? "" : "-" + std::to_string(variant));
    };
    plots.push_back(PlotThroughput(m_summary, values, name("throughput")));

    std::vector<UtilisationSeries> utilisation;
    std::vector<TimelineSeries> timelines;
    std::vector<GradientSeries> gradients;
    std::vector<DeviceSeries> devices;
    std::vector<BatchSeries> batches;
    for (const auto& [engine, result] : m_details[variant])
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
    const auto prepared = m_plan.GetPrepared(variant);
    plots.push_back(PlotUtilisation(title, utilisation, name("utilisation")));
    plots.push_back(PlotTimeline(title, *prepared->GetJob().profile, timelines, name("timeline")));
    plots.push_back(PlotGradients(title, gradients, name("gradients")));
    plots.push_back(PlotDevices(title, devices, name("devices")));
    if (!batches.empty())
    {
        plots.push_back(PlotBatches(title, batches, name("batch-sizes")));
    }
}

void
Study::Draw()
{
    std::vector<PlotScript> plots;
    const auto drawn = m_plan.GetDrawn();
    const std::size_t variants = m_plan.GetScenarios().size();
    if (drawn.size() < variants)
    {
        m_summary.notes.push_back("plots: of " + std::to_string(drawn.size()) + " of the " +
                                  std::to_string(variants) +
                                  " variants only, spread over all of them");
    }
    for (const uint32_t variant : drawn)
    {
        PlotVariant(variant, plots);
    }
    const SweepSummary sweep = SummarizeSweep(m_summary);
    if (!sweep.variants.empty())
    {
        plots.push_back(PlotSweep(sweep, m_summary.name));
    }
    plots.push_back(PlotStepCdf(m_summary));
    if (const CaseSummary* item = FindWaitingCase(m_summary))
    {
        plots.push_back(PlotWaiting(*item, m_summary.name));
    }
    auto warnings = PlotWriter(m_options.folder).Write(plots);
    const std::string why = m_options.explain ? m_options.explain(m_options.folder, warnings) : "";
    std::sort(warnings.begin(), warnings.end());
    warnings.erase(std::unique(warnings.begin(), warnings.end()), warnings.end());
    m_summary.notes.insert(m_summary.notes.end(), warnings.begin(), warnings.end());
    ResultFile::Replace(m_options.folder + "/report.html",
                        FormatHtmlReport(m_summary, m_options.folder, why));
}

} // namespace ns3::dml
