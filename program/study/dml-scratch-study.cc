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

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
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

ScratchStudy::ScratchStudy(uint32_t jobs)
    : m_jobs(jobs)
{
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    if (error)
    {
        throw RunError("TMPDIR names no folder: " + error.message());
    }
    m_folder = (parent / "dml-XXXXXX").string();
    if (!mkdtemp(m_folder.data()))
    {
        throw RunError(m_folder + ": cannot be created: " + std::strerror(errno));
    }
}

ScratchStudy::~ScratchStudy()
{
    // A lack of memory or of descriptors may be over when the next attempt is made.
    constexpr int ATTEMPTS = 3;
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt)
    {
        try
        {
            std::error_code error;
            std::filesystem::remove_all(m_folder, error);
            if (!error)
            {
                return;
            }
        }
        catch (const std::bad_alloc&)
        {
            continue;
        }
    }
}

Scenario
ScratchStudy::MakeScenario(const std::vector<std::string>& settings) const
{
    const std::string path = m_folder + "/scenario.yaml";
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
    options.folder = m_folder + "/" + std::to_string(m_runs++);
    options.jobs = jobs;
    options.scratch = true;
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
