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
#include "ns3/dml-study-plots.h"

#include <algorithm>

namespace ns3::dml
{

void
Study::PlotVariant(uint32_t variant, std::vector<PlotScript>& plots)
{
    const Scenario& scenario = m_plan.GetScenarios()[variant];
    const auto& sweep = scenario.job.workers;
    const std::string values = NameVariant(scenario.variant);
    const uint32_t workers = *std::max_element(sweep.begin(), sweep.end());
    const std::string title =
        m_summary.name + (values.empty() ? "" : ", " + values) + ", W = " + std::to_string(workers);
    const auto prepared = m_plan.GetPrepared(variant);
    const auto name = [variant](const char* plot) {
        return plot + (variant == 0 ? "" : "-" + std::to_string(variant));
    };
    plots.push_back(PlotThroughput(m_summary, values, name("throughput")));

    AddRunPlots(title, *prepared->GetJob().profile, m_details[variant], name, plots);
    if (scenario.network.multipath.IsOn())
    {
        const auto network = prepared->GetNetwork(workers);
        const auto connections = CountLinkConnections(*network, prepared->ListShapes(*network));
        AddConnectionPlot(title, ListMultipathLinks(*network, connections), name, plots);
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
    AddStepPlots(m_summary, plots);
    auto warnings = PlotWriter(m_options.folder).Write(plots);
    const std::string why = m_options.explain ? m_options.explain(m_options.folder, warnings) : "";
    std::sort(warnings.begin(), warnings.end());
    warnings.erase(std::unique(warnings.begin(), warnings.end()), warnings.end());
    m_summary.notes.insert(m_summary.notes.end(), warnings.begin(), warnings.end());
    ResultFile::Replace(m_options.folder + "/report.html",
                        FormatHtmlReport(m_summary, m_options.folder, why));
}

} // namespace ns3::dml
