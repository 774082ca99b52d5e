/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study.h"

#include "dml-loss-report.h"
#include "dml-plot-step-cdf.h"
#include "dml-plot-throughput.h"
#include "dml-plot-waiting.h"
#include "dml-plot-writer.h"
#include "dml-progress-line.h"
#include "dml-result-csv.h"
#include "dml-run-cost.h"
#include "dml-scenario-echo.h"
#include "dml-trace-file.h"

#include "ns3/dml-baselines.h"
#include "ns3/dml-error.h"
#include "ns3/dml-rank-launcher.h"
#include "ns3/dml-rank-plan.h"
#include "ns3/dml-rank-world.h"
#include "ns3/dml-scenario-check.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace ns3
{
namespace dml
{

namespace
{

namespace fs = std::filesystem;

/// Most throughput plots of a sweep.
constexpr std::size_t MOST_PLOTS = 12;

/// Disk that the rows of all runs take; from the number of rows and their usual length.
double
EstimateRows(const PreparedScenario& prepared, double runs)
{
    constexpr double STEP_ROW = 80;
    constexpr double TRANSFER_ROW = 100;
    double transfers = 0;
    for (const auto& op : prepared.GetJob().plan->ops)
    {
        transfers += op.dispatch == Dispatch::SEND ? 1 : 0;
    }
    return runs * prepared.scenario.job.steps * (STEP_ROW + TRANSFER_ROW * transfers);
}

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

Study::Study(const std::vector<Scenario>& scenarios, const Options& options)
    : m_options(options)
{
    for (const auto& scenario : scenarios)
    {
        m_prepared.push_back(PrepareScenario(scenario, options.packet));
    }
    MakeEntries();
    CheckMemory();
    CheckDisk();
    MakeSummaryCases();
}

Study::~Study() = default;

void
Study::MakeFolder()
{
    m_folder = std::make_unique<ResultFolder>(m_options.folder);
    m_state = std::make_unique<StudyState>(m_options.folder,
                                           DescribeQuestion(),
                                           m_options.unfinished);
}

const std::string&
Study::GetFolder() const
{
    return m_options.folder;
}

void
Study::MakeEntries()
{
    for (uint32_t variant = 0; variant < m_prepared.size(); ++variant)
    {
        const Scenario& scenario = m_prepared[variant].scenario;
        const uint32_t packetReplications = scenario.packet.replications > 0
                                                ? scenario.packet.replications
                                                : scenario.replications;
        const auto& sweep = scenario.job.workers;
        const uint32_t most = *std::max_element(sweep.begin(), sweep.end());
        for (const uint32_t workers : sweep)
        {
            const auto add = [&](EngineKind engine, uint32_t replications) {
                for (uint32_t replication = 0; replication < replications; ++replication)
                {
                    Entry entry;
                    const bool detailed = variant == 0 && workers == most && replication == 0;
                    const bool packet = engine == EngineKind::PACKET;
                    entry.work = {variant, workers, engine, replication, detailed};
                    entry.work.ranks =
                        packet ? PlanRanks(scenario, workers, m_options.ranks) : 1;
                    const RunCost cost = EstimateCost(m_prepared[variant], entry.work);
                    entry.cost = cost.cpuSeconds;
                    entry.memory = cost.memory;
                    m_entries.push_back(std::move(entry));
                }
            };
            add(EngineKind::FAIR_SHARE, m_options.fairShare ? scenario.replications : 0);
            add(EngineKind::PACKET, m_options.packet ? packetReplications : 0);
        }
    }
    m_order.resize(m_entries.size());
    std::iota(m_order.begin(), m_order.end(), 0);
    // the quick engine first, then the longest runs, so that no core waits for the last one
    std::stable_sort(m_order.begin(), m_order.end(), [this](uint32_t a, uint32_t b) {
        const Entry& x = m_entries[a];
        const Entry& y = m_entries[b];
        return x.work.engine != y.work.engine ? x.work.engine == EngineKind::FAIR_SHARE
                                              : x.cost > y.cost;
    });
}

void
Study::CheckMemory() const
{
    std::vector<double> needs;
    for (const auto& entry : m_entries)
    {
        needs.push_back(entry.memory);
    }
    const std::size_t together = std::min<std::size_t>(m_options.jobs, needs.size());
    std::partial_sort(needs.begin(), needs.begin() + together, needs.end(), std::greater<>());
    const double needed = std::accumulate(needs.begin(), needs.begin() + together, 0.0);
    const double available = GetAvailableMemory();
    if (available > 0 && needed > available)
    {
        std::ostringstream found;
        found << std::setprecision(3) << "runs that would not fit in memory: about "
              << needed / 1e9 << " GB for " << together << " at a time, where " << available / 1e9
              << " GB are free";
        throw ScenarioError(m_prepared.front().scenario,
                            "job.workers",
                            found.str(),
                            "fewer workers or parameter servers, or a lower --jobs");
    }
}

void
Study::CheckDisk() const
{
    double needed = 0;
    for (const auto& entry : m_entries)
    {
        needed += EstimateRows(m_prepared[entry.work.variant], entry.work.workers);
    }
    fs::path folder = fs::absolute(m_options.folder);
    std::error_code error;
    while (!fs::exists(folder, error) && folder.has_relative_path())
    {
        folder = folder.parent_path();
    }
    const auto space = fs::space(folder, error);
    if (!error && needed > space.available)
    {
        std::ostringstream found;
        found << std::setprecision(3) << "results of about " << needed / 1e9
              << " GB, where the disk has " << space.available / 1e9 << " GB free";
        throw ScenarioError(m_prepared.front().scenario,
                            "job.steps",
                            found.str(),
                            "fewer steps, workers or replications, or --out on a larger disk");
    }
}

void
Study::MakeSummaryCases()
{
    const PreparedScenario& first = m_prepared.front();
    m_summary.name = first.scenario.name;
    m_summary.model = first.GetJob().profile->model;
    m_summary.batch = first.GetJob().devices.batch;
    m_summary.scenario = ScenarioToJson(first.scenario);
    for (const auto& prepared : m_prepared)
    {
        for (const uint32_t workers : prepared.scenario.job.workers)
        {
            CaseSummary summary;
            summary.variant = prepared.scenario.variant;
            summary.model = prepared.GetJob().profile->model;
            summary.batch = prepared.GetJob().devices.batch;
            for (const auto& tensor : prepared.GetJob().profile->tensors)
            {
                summary.tensors.push_back(tensor.name);
            }
            for (const auto& device : prepared.GetJob().profile->devices)
            {
                summary.devices.push_back(device.name);
            }
            summary.mtu = prepared.scenario.network.mtu;
            summary.workers = workers;
            summary.parameterServers = prepared.scenario.job.parameterServers;
            summary.sync = prepared.scenario.job.sync.rule;
            const uint32_t batch = prepared.GetJob().devices.batch;
            summary.cynthia =
                PredictCynthia(ComputeCynthiaInputs(prepared.GetJob().oneWorker, prepared.goodput),
                               batch,
                               workers);
            summary.lin = PredictLin(prepared.GetJob().oneWorker, batch, workers);
            m_summary.cases.push_back(std::move(summary));
        }
    }
}

std::string
Study::GetLabel(const Entry& entry) const
{
    std::string label = std::string(GetEngineName(entry.work.engine)) + " W=" +
                        std::to_string(entry.work.workers);
    if (entry.work.replication > 0)
    {
        label += " r" + std::to_string(entry.work.replication);
    }
    return label;
}

std::string
Study::RunEntry(uint32_t entry, const ProcessPool::Progress& progress) const
{
    const std::string folder = m_state->MakeRunFolder(entry);
    const Entry& e = m_entries[entry];
    std::string result;
    if (e.work.ranks > 1)
    {
        std::vector<std::string> arguments{"run-rank", std::to_string(entry), folder};
        arguments.insert(arguments.end(), m_options.arguments.begin(), m_options.arguments.end());
        result = RankLauncher(folder).Run(e.work.ranks, arguments, progress);
    }
    else
    {
        result = PackCaseResult(RunStudyCase(m_prepared[e.work.variant], e.work, folder, progress));
    }
    m_state->Keep(entry, result);
    return result;
}

void
Study::RunOnRank(uint32_t entry, const std::string& folder) const
{
    if (entry >= m_entries.size())
    {
        throw InputError("run-rank: found run " + std::to_string(entry) + "; accepted: 0 to " +
                         std::to_string(m_entries.size() - 1));
    }
    const StudyCase& work = m_entries[entry].work;
    const PreparedScenario& prepared = m_prepared[work.variant];
    const RankLauncher launcher(folder);
    RankWorld world;
    try
    {
        if (world.GetRank() == 0)
        {
            launcher.HandOver(PackCaseResult(
                RunStudyCase(prepared, work, folder, RankLauncher::PrintProgress, &world)));
        }
        else
        {
            JoinStudyCase(prepared, work, folder, world);
        }
    }
    catch (const InputError& error)
    {
        launcher.Fail(true, error.what());
        RankWorld::Abort();
    }
    catch (const std::exception& error)
    {
        launcher.Fail(false, error.what());
        RankWorld::Abort();
    }
}

CaseSummary&
Study::FindSummary(const StudyCase& work)
{
    const auto& variant = m_prepared[work.variant].scenario.variant;
    return *std::find_if(m_summary.cases.begin(), m_summary.cases.end(), [&](const auto& c) {
        return c.variant == variant && c.workers == work.workers;
    });
}

const RunSummary&
Study::Run()
{
    OpenFiles();
    TakeKept();
    std::vector<uint32_t> left;
    std::vector<std::string> labels;
    std::vector<double> costs;
    for (const uint32_t entry : m_order)
    {
        if (!m_entries[entry].done)
        {
            left.push_back(entry);
            labels.push_back(GetLabel(m_entries[entry]));
            costs.push_back(m_entries[entry].cost);
        }
    }
    ProgressLine line(labels, costs);
    std::string failure;
    const auto work = [&](uint32_t task, const ProcessPool::Progress& progress) {
        return RunEntry(left[task], progress);
    };
    const auto done = [&](const ProcessPool::Result& result) {
        const uint32_t entry = left[result.task];
        if (result.failure != 0)
        {
            failure += "\n  " + GetLabel(m_entries[entry]) + ": " + result.text;
            return;
        }
        Finished(entry, result.text);
        Write();
        SaveMerged();
    };
    try
    {
        ProcessPool(m_options.jobs).Run(left.size(), work, done, [&](const auto& fractions) {
            line.Show(fractions);
        });
    }
    catch (const RunError& error)
    {
        line.Clear();
        MergeAll();
        AddLossNotes();
        Write();
        throw RunError(std::string(error.what()) + DescribeProgress());
    }
    line.Clear();
    MergeAll();
    AddLossNotes();
    Write();
    if (!failure.empty())
    {
        throw RunError("some runs failed:" + failure + "\n" + DescribeProgress().substr(2));
    }
    m_files->Close();
    if (m_trace)
    {
        m_trace->Close();
    }
    if (m_prepared.front().scenario.output.plots)
    {
        Draw();
        Write();
    }
    m_state->Remove();
    return m_summary;
}

void
Study::Finished(uint32_t entry, const std::string& bytes)
{
    Entry& e = m_entries[entry];
    e.result = UnpackCaseResult(bytes);
    e.done = true;
    CaseSummary& summary = FindSummary(e.work);
    auto& engine =
        e.work.engine == EngineKind::FAIR_SHARE ? summary.fairShare : summary.packet;
    if (!engine)
    {
        engine.emplace();
    }
    auto& replications = engine->replications;
    const auto at = std::find_if(replications.begin(), replications.end(), [&](const auto& r) {
        return r.replication > e.work.replication;
    });
    replications.insert(at, e.result.summary);
    MergeInOrder();
}

void
Study::MergeInOrder()
{
    // rows go into the files in a fixed order, whatever order the runs end in
    for (; m_nextToMerge < m_entries.size() && m_entries[m_nextToMerge].done; ++m_nextToMerge)
    {
        Merge(m_nextToMerge);
    }
}

void
Study::Merge(uint32_t entry)
{
    const std::string folder = m_state->GetRunFolder(entry);
    if (entry >= m_state->GetMerged().runs)
    {
        m_files->AppendFrom(folder);
        std::vector<fs::path> captures;
        for (const auto& file : fs::directory_iterator(folder))
        {
            if (IsCapture(file.path()))
            {
                captures.push_back(file.path());
            }
        }
        for (const auto& capture : captures)
        {
            const fs::path path = m_options.folder / GetCapturePath(capture);
            fs::create_directories(path.parent_path());
            fs::rename(capture, path);
        }
    }
    if (m_trace && fs::exists(folder + "/trace.json"))
    {
        m_trace->AppendPart(folder + "/trace.json");
    }
    m_entries[entry].merged = true;
}

void
Study::MergeAll()
{
    for (uint32_t entry = 0; entry < m_entries.size(); ++entry)
    {
        if (m_entries[entry].done && !m_entries[entry].merged)
        {
            Merge(entry);
        }
    }
}

void
Study::AddLossNotes()
{
    const auto notes = MakeLossNotes(m_summary);
    m_summary.notes.insert(m_summary.notes.end(), notes.begin(), notes.end());
}

void
Study::Write()
{
    m_summary.wallSeconds =
        m_wallBefore +
        std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    m_files->Flush();
    WriteSummary(m_options.folder + "/summary.json", m_summary);
}

void
Study::Draw()
{
    const PlotWriter writer(m_options.folder);
    std::vector<UtilisationSeries> utilisation;
    std::vector<TimelineSeries> timelines;
    std::vector<GradientSeries> gradients;
    std::vector<DeviceSeries> devices;
    std::vector<BatchSeries> batches;
    for (const auto& entry : m_entries)
    {
        if (entry.result.utilisation)
        {
            utilisation.push_back(*entry.result.utilisation);
            timelines.push_back(*entry.result.timeline);
            gradients.push_back(*entry.result.gradients);
            devices.push_back(*entry.result.devices);
        }
        if (entry.result.batches)
        {
            batches.push_back(*entry.result.batches);
        }
    }
    const PreparedScenario& first = m_prepared.front();
    const auto& sweep = first.scenario.job.workers;
    const std::string title =
        m_summary.name + ", W = " +
        std::to_string(*std::max_element(sweep.begin(), sweep.end()));
    std::vector<std::string> warnings;
    const std::size_t drawn = std::min(m_prepared.size(), MOST_PLOTS);
    if (drawn < m_prepared.size())
    {
        m_summary.notes.push_back("plots: throughput of the first " + std::to_string(drawn) +
                                  " of " + std::to_string(m_prepared.size()) + " variants only");
    }
    for (std::size_t variant = 0; variant < drawn; ++variant)
    {
        CaseSummary name;
        name.variant = m_prepared[variant].scenario.variant;
        const std::string file =
            variant == 0 ? "throughput" : "throughput-" + std::to_string(variant);
        warnings.push_back(writer.Write(PlotThroughput(m_summary, name.GetVariantName(), file)));
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
