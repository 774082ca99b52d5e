/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-study.h"

#include "dml-study.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace ns3
{
namespace dml
{

ScratchStudy::ScratchStudy(uint32_t jobs)
    : m_folder((std::filesystem::temp_directory_path() / "dml-XXXXXX").string()),
      m_jobs(jobs)
{
    if (!mkdtemp(m_folder.data()))
    {
        throw RunError(m_folder + ": cannot be created: " + std::strerror(errno));
    }
}

ScratchStudy::~ScratchStudy()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
}

const std::string&
ScratchStudy::GetFolder() const
{
    return m_folder;
}

Throughputs
ScratchStudy::Run(Scenario scenario, EngineKind engine)
{
    scenario.output = OutputSpec();
    scenario.output.trace = false;
    scenario.output.plots = false;
    scenario.output.transfers = false;
    scenario.output.links = false;
    Study::Options options;
    options.engines = {engine};
    options.folder = m_folder + "/" + std::to_string(m_runs++);
    options.jobs = m_jobs;
    Study study({std::move(scenario)}, options);
    study.MakeFolder();
    const RunSummary& summary = study.Run();
    Throughputs throughputs;
    for (const auto& replication : summary.cases.front().engines.at(engine).replications)
    {
        throughputs.push_back(replication.throughput.samplesPerSecond);
    }
    return throughputs;
}

std::string
ScratchStudy::Record(Scenario scenario, EngineKind engine)
{
    scenario.output = OutputSpec();
    scenario.output.plots = false;
    scenario.output.transfers = false;
    scenario.output.links = false;
    scenario.replications = 1;
    Study::Options options;
    options.engines = {engine};
    options.folder = m_folder + "/" + std::to_string(m_runs++);
    options.jobs = 1;
    Study study({std::move(scenario)}, options);
    study.MakeFolder();
    study.Run();
    return options.folder + "/trace.json";
}

std::vector<std::pair<std::optional<double>, std::optional<double>>>
PairThroughputs(const Throughputs& one, const Throughputs& other)
{
    std::vector<std::pair<std::optional<double>, std::optional<double>>> pairs;
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    {
        pairs.emplace_back(one[i], other[i]);
    }
    return pairs;
}

} // namespace dml
} // namespace ns3
