/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-step-cdf.h"
#include "dml-plot-throughput.h"
#include "dml-plot-waiting.h"
#include "dml-plot-writer.h"
#include "dml-study.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

namespace
{

/// Most throughput plots of a sweep.
constexpr std::size_t MOST_PLOTS = 12;

/// @return whether it is known of any step how long its worker waited
bool
IsWaitingKnown(const std::optional<EngineSummary>& engine)
{
    return engine && engine->GetSync().GetAll().known > 0;
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
        if (next && item.sync != "async" &&
            (IsWaitingKnown(item.fairShare) || IsWaitingKnown(item.packet)))
        {
            found = &item;
        }
    }
    return found;
}

} // namespace

void
Study::Draw()
{
    const PlotWriter writer(m_options.folder);
    std::vector<UtilisationSeries> utilisation;
    std::vector<TimelineSeries> timelines;
    std::vector<GradientSeries> gradients;
    std::vector<DeviceSeries> devices;
    std::vector<BatchSeries> batches;
    for (const auto& result : m_details)
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
    const PreparedScenario& first = m_plan.GetFirst();
    const auto& scenarios = m_plan.GetScenarios();
    const auto& sweep = first.scenario.job.workers;
    const std::string title =
        m_summary.name + ", W = " + std::to_string(*std::max_element(sweep.begin(), sweep.end()));
    std::vector<std::string> warnings;
    const std::size_t drawn = std::min(scenarios.size(), MOST_PLOTS);
    if (drawn < scenarios.size())
    {
        m_summary.notes.push_back("plots: throughput of the first " + std::to_string(drawn) +
                                  " of " + std::to_string(scenarios.size()) + " variants only");
    }
    for (std::size_t variant = 0; variant < drawn; ++variant)
    {
        const std::string name = NameVariant(scenarios[variant].variant);
        const std::string file =
            variant == 0 ? "throughput" : "throughput-" + std::to_string(variant);
        warnings.push_back(writer.Write(PlotThroughput(m_summary, name, file)));
    }
    warnings.push_back(writer.Write(PlotUtilisation(title, utilisation)));
    warnings.push_back(writer.Write(PlotTimeline(title, *first.GetJob().profile, timelines)));
    warnings.push_back(writer.Write(PlotGradients(title, gradients)));
    warnings.push_back(writer.Write(PlotDevices(title, devices)));
    warnings.push_back(writer.Write(PlotStepCdf(m_summary)));
    if (!batches.empty())
    {
        warnings.push_back(writer.Write(PlotBatches(title, batches)));
    }
    if (const CaseSummary* item = FindWaitingCase(m_summary))
    {
        warnings.push_back(writer.Write(PlotWaiting(*item, m_summary.name)));
    }
    warnings.erase(std::remove(warnings.begin(), warnings.end(), ""), warnings.end());
    std::sort(warnings.begin(), warnings.end());
    warnings.erase(std::unique(warnings.begin(), warnings.end()), warnings.end());
    m_summary.notes.insert(m_summary.notes.end(), warnings.begin(), warnings.end());
}

} // namespace dml
} // namespace ns3
