/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-study.h"

#include "dml-study.h"

#include "ns3/dml-error.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-scenario-reader.h"

#include <utility>

namespace ns3::dml
{

namespace
{

/// @return what is written besides summary.json and steps.csv: nothing
OutputSpec
WriteNothing()
{
    OutputSpec output;
    output.trace = false;
    output.plots = false;
    output.transfers = false;
    output.links = false;
    return output;
}

} // namespace

ScratchStudy::ScratchStudy(uint32_t jobs, double cpuLimit)
    : m_jobs(jobs),
      m_cpuLimit(cpuLimit)
{
}

Scenario
ScratchStudy::MakeScenario(const std::vector<std::string>& settings) const
{
    const std::string path = GetFolder() + "/scenario.yaml";
    ResultFile::Replace(path, "{}\n");
    auto scenarios = ReadScenario(path, settings);
    if (scenarios.size() > 1)
    {
        throw InputError("--set sweep: found " + std::to_string(scenarios.size()) +
                         " scenarios; accepted: one");
    }
    return std::move(scenarios.front());
}

std::unique_ptr<Study>
ScratchStudy::MakeStudy(const std::vector<Scenario>& scenarios, EngineKind engine, uint32_t jobs)
{
    Study::Options options;
    options.engines = {engine};
    options.folder = GetFolder() + "/" + std::to_string(m_runs++);
    options.jobs = jobs;
    options.scratch = true;
    options.cpuLimit = m_cpuLimit;
    auto study = std::make_unique<Study>(scenarios, options);
    study->MakeFolder();
    return study;
}

Throughputs
ScratchStudy::Run(Scenario scenario, EngineKind engine)
{
    return RunTogether({scenario}, engine).front();
}

std::vector<CaseSummary>
ScratchStudy::RunAll(std::vector<Scenario> scenarios, EngineKind engine)
{
    for (auto& scenario : scenarios)
    {
        scenario.output = WriteNothing();
    }
    return MakeStudy(scenarios, engine, m_jobs)->Run().cases;
}

std::string
ScratchStudy::RunInFolder(std::vector<Scenario> scenarios, EngineKind engine)
{
    for (auto& scenario : scenarios)
    {
        scenario.output = WriteNothing();
    }
    const auto study = MakeStudy(scenarios, engine, m_jobs);
    study->Run();
    return study->GetFolder();
}

std::vector<Throughputs>
ScratchStudy::RunTogether(std::vector<Scenario> scenarios, EngineKind engine)
{
    std::vector<Throughputs> all;
    for (const auto& one : RunAll(std::move(scenarios), engine))
    {
        Throughputs& throughputs = all.emplace_back();
        for (const auto& replication : one.engines.at(engine).replications)
        {
            throughputs.push_back(replication.throughput.samplesPerSecond);
        }
    }
    return all;
}

Throughputs
ScratchStudy::RunWithOtherSeeds(Scenario scenario, EngineKind engine)
{
    ++scenario.seed;
    return Run(std::move(scenario), engine);
}

std::string
ScratchStudy::Record(Scenario scenario, EngineKind engine, bool messages)
{
    scenario.output = WriteNothing();
    scenario.output.trace = true;
    scenario.output.messages = messages;
    scenario.replications = 1;
    const auto study = MakeStudy({scenario}, engine, 1);
    study->Run();
    return study->GetFolder() + "/trace.json";
}

} // namespace ns3::dml
