/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-optimizer.h"

#include "dml-commands.h"

#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-recorded-job.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-scenario-check.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return seconds of the workers' devices over those of the profile, mean of so many workers
double
GetSlowness(const Scenario& scenario, uint32_t workers)
{
    const PreparedScenario prepared = PrepareScenario(scenario, false);
    const JobDevices& devices = prepared.GetJob().devices;
    double sum = 0;
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        const auto& model = devices.workers[worker % devices.workers.size()].model;
        sum += model ? model->GetScale(devices.batch) : 1;
    }
    return sum / workers;
}

} // namespace

Optimizer::Optimizer(const CommandOptions& options, EngineKind engine)
    : m_options(options),
      m_engine(engine),
      m_study(CountJobs(options))
{
}

Scenario
Optimizer::Read(const Strategy* strategy)
{
    auto settings = m_options.settings;
    if (strategy)
    {
        settings.insert(settings.end(), strategy->settings.begin(), strategy->settings.end());
    }
    if (Rewrites(strategy))
    {
        settings.push_back("job.profile=" + WriteProfile(strategy));
    }
    return ReadSingleCase(m_options, settings);
}

std::shared_ptr<const MemoryQuestion>
Optimizer::AskMemory()
{
    const JobSpec job = Read(nullptr).job;
    const uint32_t batch = job.batchSize;
    return std::make_shared<MemoryQuestion>(job.profile,
                                            batch > 0 ? std::optional<uint32_t>(batch)
                                                      : std::nullopt,
                                            m_options.optimizer);
}

SearchTask
Optimizer::Measure()
{
    SearchTask task;
    const Scenario scenario = Read(nullptr);
    const JobSpec& job = scenario.job;
    task.servers = job.parameterServers;
    task.hasWindows = scenario.transfer.transport == "grpc";
    if (task.servers > 0)
    {
        return task;
    }
    if (IsSharded(job))
    {
        throw ScenarioError(scenario,
                            "job.protocol",
                            job.protocol +
                                ", whose gathers the search for strategies does not know",
                            "all-reduce, or a protocol with servers, with this command");
    }
    if (UsesAggregators(job))
    {
        throw ScenarioError(scenario,
                            "job.all_reduce.algorithm",
                            "'" + job.allReduce.algorithm +
                                "', whose switches the search for strategies does not know",
                            "another algorithm with this command");
    }
    const Strategy separate{"", {"job.gradient_groups=off"}, ""};
    const RunTraces traces = ReadRunTraces(m_study.Record(Read(&separate), m_engine, false));
    const RecordedJob run = MakeRecordedJob(traces.job,
                                            traces.runs.front(),
                                            ReceiveStarts::CORRECTED,
                                            CollectiveDetail::WHOLE,
                                            WaitDetail::DATA);
    std::vector<std::string> tensors;
    for (const auto& op : traces.job.GetOps())
    {
        tensors.push_back(op.kind == OpKind::PUSH ? op.tensor : "");
    }
    task.timeline = MakeTimeline(run, tensors);
    task.model = MakeFusionModel(MakeMeanStep(run, traces.job), tensors);
    task.algorithm = CollectiveAlgorithms().Create<CollectiveAlgorithm>(
        {job.allReduce.algorithm, job.allReduce.algorithmAttributes});
    task.shortcuts = ReadShortcuts(m_options.without);
    task.scale = job.scale;
    task.slowness = GetSlowness(scenario, task.model.workers);
    if (m_options.IsGiven("fused"))
    {
        task.note = SetSavings(m_options.fused, task.scale, task.model);
        task.note += task.note.empty() ? "" : "; ";
    }
    return task;
}

std::optional<double>
Optimizer::Try(const Strategy* strategy)
{
    return TryTogether({strategy}).front();
}

std::vector<TriedStrategy>
Optimizer::TryAll(const std::vector<Strategy>& strategies)
{
    constexpr std::size_t TOGETHER = 16; // whose scenarios are in memory at the same time
    std::vector<TriedStrategy> tried;
    for (std::size_t first = 0; first < strategies.size(); first += TOGETHER)
    {
        std::vector<const Strategy*> part;
        for (std::size_t i = first; i < std::min(first + TOGETHER, strategies.size()); ++i)
        {
            part.push_back(&strategies[i]);
        }
        const auto scores = TryTogether(part);
        for (std::size_t i = 0; i < part.size(); ++i)
        {
            tried.push_back({*part[i], scores[i]});
        }
    }
    return tried;
}

std::vector<std::optional<double>>
Optimizer::TryTogether(const std::vector<const Strategy*>& strategies)
{
    try
    {
        std::vector<std::optional<double>> scores;
        std::vector<Scenario> scenarios;
        for (const Strategy* strategy : strategies)
        {
            scenarios.push_back(Read(strategy));
        }
        for (const auto& throughputs : m_study.RunTogether(std::move(scenarios), m_engine))
        {
            scores.push_back(ComputeConfidence(throughputs).mean);
            m_refusal = scores.back() ? m_refusal : NO_THROUGHPUT;
        }
        return scores;
    }
    catch (const InputError& error)
    {
        m_refusal = error.what();
    }
    catch (const RunError& error) // such as a run that stalls
    {
        m_refusal = error.what();
    }
    if (strategies.size() == 1)
    {
        return {std::nullopt};
    }
    const auto middle = strategies.begin() + strategies.size() / 2; // the others can be run
    auto scores = TryTogether({strategies.begin(), middle});
    const auto rest = TryTogether({middle, strategies.end()});
    scores.insert(scores.end(), rest.begin(), rest.end());
    return scores;
}

const Throughputs&
Optimizer::Confirm(const Strategy* strategy, EngineKind engine)
{
    const std::string name = strategy ? strategy->name : "";
    const auto [found, added] = m_confirmed.try_emplace({name, engine});
    if (added)
    {
        found->second = m_study.RunWithOtherSeeds(Read(strategy), engine);
    }
    return found->second;
}

bool
Optimizer::Rewrites(const Strategy* strategy) const
{
    return m_memory || (strategy && strategy->rewrite);
}

Profile
Optimizer::Rewrite(const Strategy* strategy) const
{
    Profile profile = ReadProfile(ReadSingleCase(m_options, m_options.settings).job.profile);
    if (m_memory)
    {
        profile = m_memory->rewrite(profile);
    }
    return strategy && strategy->rewrite ? strategy->rewrite(profile) : profile;
}

std::string
Optimizer::WriteProfile(const Strategy* strategy)
{
    const bool rewrites = strategy && strategy->rewrite;
    std::string& path =
        m_profiles[{m_memory ? m_memory->name : "", rewrites ? strategy->name : ""}];
    if (path.empty())
    {
        path = m_study.GetFolder() + "/profile" + std::to_string(m_profiles.size()) + ".yaml";
        ResultFile::Replace(path, FormatProfile(Rewrite(strategy)));
    }
    return path;
}

} // namespace ns3::dml
