/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-plan.h"

#include "dml-engine-runner.h"
#include "dml-plugin-file.h"
#include "dml-rank-plan.h"
#include "dml-study-inputs.h"

#include "ns3/dml-baselines.h"
#include "ns3/dml-checksum.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-si-number.h"
#include "ns3/dml-study-warnings.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-yaml-text.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

/// Prepared variants take at most so much memory besides the first: each run inherits all of them.
constexpr double MOST_PREPARED_BYTES = 32e6;

/// Memory that the results of a run take until the study has ended.
constexpr double RESULT_BYTES = 1e3;
/// And those of a worker.
constexpr double WORKER_BYTES = 80;

/**
 * @brief Estimate the disk that the rows of a run take; from the number of rows and their usual
 * length.
 * @param prepared variant of the run
 * @param run gets it; nothing with automatic steps, of which only the most is known
 */
void
EstimateRows(const PreparedScenario& prepared, PlannedRun& run)
{
    constexpr double STEP_ROW = 65;
    constexpr double TRANSFER_ROW = 100;
    constexpr double LINK_ROW = 48;
    constexpr double LINK_BINS = 600;           // LinkMeter has 400 to 800
    constexpr double SHORTEST_BIN = 1.0 / 1024; // s
    constexpr double SUMMARY = 3000;            // in summary.json and throughput.csv
    constexpr double SUMMARY_WORKER = 400;
    const Scenario& scenario = prepared.scenario;
    if (scenario.job.autoSteps.on)
    {
        return;
    }
    const double transfers = prepared.GetJob().GetPlan(run.work.workers)->CountSent();
    const double steps = double{1} * run.work.workers * scenario.job.steps;
    run.transfers = scenario.output.transfers ? steps * TRANSFER_ROW * transfers : 0;
    const double seconds = scenario.job.steps * GuessStep(prepared, run.work.workers);
    const double bins = scenario.output.links ? std::min(LINK_BINS, seconds / SHORTEST_BIN) : 0;
    run.disk = steps * STEP_ROW + run.transfers +
               2 * scenario.job.parameterServers * bins * LINK_ROW + SUMMARY +
               SUMMARY_WORKER * run.work.workers;
}

/// @return bytes that a prepared variant takes, roughly
double
EstimateBytes(const PreparedScenario& prepared)
{
    constexpr double BYTES_PER_OP = 600; // in the profile's graph and in the plan
    double bytes = prepared.GetNetworkBytes();
    for (const auto& job : prepared.jobs)
    {
        bytes += 2 * sizeof(double) * job.run.plan->seconds.size() +
                 BYTES_PER_OP * job.run.plan->ops.size();
    }
    return bytes;
}

/// @return what is known of a configuration before it runs
CaseSummary
DescribeCase(const PreparedScenario& prepared, uint32_t workers)
{
    const PreparedJob& job = prepared.GetJob();
    CaseSummary summary;
    summary.variant = prepared.scenario.variant;
    summary.model = job.profile->model;
    summary.batch = job.devices.batch;
    for (const auto& tensor : job.profile->tensors)
    {
        summary.tensors.push_back(tensor.name);
    }
    for (const auto& device : job.profile->devices)
    {
        summary.devices.push_back(device.name);
    }
    summary.mtu = prepared.mtu;
    summary.workers = workers;
    summary.parameterServers = prepared.scenario.job.parameterServers;
    summary.expected = FindExpectedError(prepared, workers);
    summary.workersWait = MakesWorkersWait(*job.run.sync.Create<SyncPolicy>());
    const bool trains = prepared.scenario.job.workload == "training";
    if (job.HasServers() && trains) // which these models are of
    {
        summary.cynthia = PredictCynthia(ComputeCynthiaInputs(job.oneWorker, prepared.goodput),
                                         job.devices.batch,
                                         workers);
        summary.lin = PredictLin(job.oneWorker, job.devices.batch, workers);
    }
    return summary;
}

} // namespace

StudyPlan::StudyPlan(std::vector<Scenario> scenarios, EngineSet engines, uint32_t ranks)
    : m_scenarios(std::move(scenarios)),
      m_engines(std::move(engines)),
      m_ranks(ranks)
{
    m_prepared.resize(m_scenarios.size());
    const auto drawn = GetDrawn();
    const bool plots = m_scenarios.front().output.plots;
    for (uint32_t variant = 0; variant < m_scenarios.size(); ++variant)
    {
        m_firstRuns.push_back(m_runs.size());
        // the trace is of the first one
        AddRuns(variant,
                variant == 0 || (plots && std::binary_search(drawn.begin(), drawn.end(), variant)));
    }
    m_firstRuns.push_back(m_runs.size());
}

void
StudyPlan::AddRuns(uint32_t variant, bool shown)
{
    const Scenario& scenario = m_scenarios[variant];
    const auto& sweep = scenario.job.workers;
    const uint32_t most = *std::max_element(sweep.begin(), sweep.end());
    for (const uint32_t workers : sweep)
    {
        const uint32_t summary = m_cases.size();
        m_cases.emplace_back();
        for (const EngineKind engine : m_engines)
        {
            const uint32_t replications = GetEngineRunner(engine).GetReplications(scenario);
            for (uint32_t replication = 0; replication < replications; ++replication)
            {
                const bool detailed = shown && workers == most && replication == 0;
                m_runs.push_back(
                    {{variant, workers, engine, replication, detailed}, summary, {}, 0});
            }
        }
    }
}

void
StudyPlan::Prepare(uint32_t variant)
{
    const auto prepared = MakePrepared(variant);
    const bool splits = AnyHas(m_engines, EngineTrait::SPLITS_OVER_RANKS);
    uint32_t ranks = 1; // of runs with the same number of workers
    for (uint32_t i = m_firstRuns[variant]; i < m_firstRuns[variant + 1]; ++i)
    {
        PlannedRun& run = m_runs[i];
        run.cost = EstimateCost(*prepared, run.work);
        EstimateRows(*prepared, run);
        if (i == m_firstRuns[variant] || m_runs[i - 1].summary != run.summary)
        {
            m_cases[run.summary] = DescribeCase(*prepared, run.work.workers);
            for (const EngineKind kind : m_engines)
            {
                GetEngineRunner(kind).Check(*prepared, run.work.workers);
            }
            ranks = splits ? PlanRanks(*prepared, run.work.workers, m_ranks) : 1;
        }
        const EngineInfo& engine = GetEngine(run.work.engine);
        run.work.ranks = engine.Has(EngineTrait::SPLITS_OVER_RANKS) ? ranks : 1;
    }
    for (auto& warning : FindWarnings(*prepared, m_engines))
    {
        if (std::count(m_warnings.begin(), m_warnings.end(), warning) == 0)
        {
            m_warnings.push_back(std::move(warning));
        }
    }
    const double bytes = EstimateBytes(*prepared);
    if (variant == 0 || m_preparedBytes + bytes <= MOST_PREPARED_BYTES)
    {
        m_prepared[variant] = prepared;
        m_preparedBytes += variant == 0 ? 0 : bytes;
    }
}

void
StudyPlan::PrepareAll()
{
    for (uint32_t variant = 0; variant < m_scenarios.size(); ++variant)
    {
        Prepare(variant);
    }
}

void
StudyPlan::PrepareFor(const std::vector<uint32_t>& runs)
{
    std::set<uint32_t> variants; // not all that are prepared are also held
    for (const uint32_t run : runs)
    {
        variants.insert(m_runs.at(run).work.variant);
    }
    for (const uint32_t variant : variants)
    {
        if (!m_prepared[variant])
        {
            Prepare(variant);
        }
    }
}

void
StudyPlan::BuildNetworks(const std::vector<uint32_t>& runs)
{
    std::vector<uint32_t> uses(m_cases.size());
    for (const uint32_t run : runs)
    {
        ++uses[m_runs[run].summary];
    }
    for (const uint32_t run : runs)
    {
        const StudyCase& work = m_runs[run].work;
        const auto& prepared = m_prepared[work.variant];
        if (!prepared || uses[m_runs[run].summary] < 2 || m_preparedBytes > MOST_PREPARED_BYTES)
        {
            continue;
        }
        const double before = prepared->GetNetworkBytes();
        GetEngineRunner(work.engine).BuildNetwork(*prepared, work.workers);
        m_preparedBytes += prepared->GetNetworkBytes() - before;
    }
}

std::vector<uint32_t>
StudyPlan::GetOrder() const
{
    std::vector<uint32_t> order(m_runs.size());
    std::iota(order.begin(), order.end(), 0);
    const auto turn = [](const PlannedRun& run) {
        const EngineInfo& engine = GetEngine(run.work.engine);
        return engine.Has(EngineTrait::QUICK)               ? 0
               : engine.Has(EngineTrait::RUNS_IN_REAL_TIME) ? 2
                                                            : 1;
    };
    // the quick engine first, then the longest runs, so that no core waits for the last one
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        const PlannedRun& x = m_runs[a];
        const PlannedRun& y = m_runs[b];
        return turn(x) != turn(y) ? turn(x) < turn(y) : x.cost.cpuSeconds > y.cost.cpuSeconds;
    });
    return order;
}

std::shared_ptr<const PreparedScenario>
StudyPlan::GetPrepared(uint32_t variant) const
{
    return m_prepared[variant] ? m_prepared[variant] : MakePrepared(variant);
}

std::shared_ptr<const PreparedScenario>
StudyPlan::MakePrepared(uint32_t variant) const
{
    const bool packets = AnyHas(m_engines, EngineTrait::SIMULATES_PACKETS);
    return std::make_shared<const PreparedScenario>(
        PrepareScenario(m_scenarios[variant], packets, &m_profiles));
}

const PreparedScenario&
StudyPlan::GetFirst() const
{
    return *m_prepared.front();
}

std::vector<uint32_t>
StudyPlan::GetDrawn() const
{
    constexpr std::size_t MOST = 12;
    const std::size_t all = m_scenarios.size();
    std::vector<uint32_t> drawn;
    for (std::size_t i = 0; i < std::min(all, MOST); ++i)
    {
        drawn.push_back(all <= MOST ? i : i * (all - 1) / (MOST - 1));
    }
    return drawn;
}

RunSummary
StudyPlan::MakeSummary() const
{
    const PreparedScenario& first = GetFirst();
    RunSummary summary;
    summary.program = GetVersion();
    summary.name = first.scenario.name;
    summary.model = first.GetJob().profile->model;
    summary.batch = first.GetJob().devices.batch;
    summary.scenario = ScenarioToJson(first.scenario);
    for (const auto& warning : m_warnings)
    {
        summary.notes.push_back("warning: " + warning);
    }
    summary.cases = m_cases;
    return summary;
}

StudyIdentity
StudyPlan::MakeQuestion() const
{
    StudyIdentity question;
    for (const auto& scenario : m_scenarios)
    {
        nlohmann::ordered_json variant = ScenarioToJson(scenario);
        AddInputChecksums(scenario, m_profiles, variant);
        const std::string name = NameVariant(scenario.variant);
        question.Add(name.empty() ? "scenario" : name, variant);
    }
    question.Add("--engine", NameEngines(m_engines));
    for (const auto& plugin : GetLoadedPlugins())
    {
        question.Add("--plugin " + fs::path(plugin.path).filename().string(), plugin.checksum);
    }
    // results of two builds must not be mixed unseen
    question.Add(StudyIdentity::PROGRAM, GetBuildName());
    return question;
}

std::string
StudyPlan::GetLabel(uint32_t run) const
{
    const StudyCase& work = m_runs[run].work;
    std::string label = GetEngineName(work.engine) + " W=" + std::to_string(work.workers);
    if (work.replication > 0)
    {
        label += " r" + std::to_string(work.replication);
    }
    const std::string values = NameVariant(m_scenarios[work.variant].variant);
    return label + (values.empty() ? "" : ", " + EscapeControls(values));
}

void
StudyPlan::CheckMemory(uint32_t jobs) const
{
    std::vector<double> needs;
    double results = 0;
    for (const auto& run : m_runs)
    {
        needs.push_back(run.cost.memory);
        const CaseSummary& item = m_cases[run.summary];
        results +=
            RESULT_BYTES + WORKER_BYTES * item.workers + 2 * sizeof(double) * item.tensors.size();
    }
    const std::size_t together = std::min<std::size_t>(jobs, needs.size());
    std::partial_sort(needs.begin(), needs.begin() + together, needs.end(), std::greater<>());
    const double needed = std::accumulate(needs.begin(), needs.begin() + together, results);
    const double available = GetAvailableMemory();
    if (available > 0 && needed > available)
    {
        std::ostringstream found;
        found << "runs that would not fit in memory: about " << FormatSi(needed, "B") << " for "
              << together << " at a time, where " << FormatSi(available, "B") << " are free";
        throw ScenarioError(m_scenarios.front(),
                            "job.workers",
                            found.str(),
                            results > needed / 2
                                ? "fewer variants, numbers of workers or replications"
                                : "fewer workers or parameter servers, or a lower --jobs");
    }
}

void
StudyPlan::CheckDisk(const std::string& path) const
{
    double needed = 0;
    double transfers = 0;
    for (const auto& run : m_runs)
    {
        needed += run.disk;
        transfers += run.transfers;
    }
    fs::path folder = fs::absolute(path);
    std::error_code error;
    while (!fs::exists(folder, error) && folder.has_relative_path())
    {
        folder = folder.parent_path();
    }
    const auto space = fs::space(folder, error);
    // a file system without a size, such as /proc, is none that results fit on or not
    if (!error && space.capacity > 0 && needed > space.available)
    {
        std::ostringstream found;
        found << "results of about " << FormatSi(needed, "B") << ", where the disk has "
              << FormatSi(space.available, "B") << " free";
        const bool fits = needed - transfers <= space.available;
        throw ScenarioError(m_scenarios.front(),
                            "job.steps",
                            found.str(),
                            std::string(fits ? "output.transfers: false, " : "") +
                                "fewer steps, workers or replications, or --out on a larger disk");
    }
}

} // namespace ns3::dml
