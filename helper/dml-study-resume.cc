/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-csv.h"
#include "dml-scenario-echo.h"
#include "dml-study.h"
#include "dml-trace-file.h"

#include "ns3/dml-profile-writer.h"
#include "ns3/dml-yaml-text.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace ns3
{
namespace dml
{

namespace
{

/// Wall time between waits for the disk; a kill in between undoes nothing but copying rows.
constexpr std::chrono::seconds SAVE_INTERVAL{1};

} // namespace

nlohmann::ordered_json
Study::DescribeQuestion() const
{
    nlohmann::ordered_json question;
    for (const auto& prepared : m_prepared)
    {
        CaseSummary name;
        name.variant = prepared.scenario.variant;
        std::ostringstream profile;
        WriteProfile(*prepared.GetJob().profile, profile);
        nlohmann::ordered_json variant = ScenarioToJson(prepared.scenario);
        variant["checksum of the profile"] = MakeChecksum(profile.str());
        for (const auto& [device, spec] : prepared.GetJob().spec.devices)
        {
            if (!spec.trace.file.empty())
            {
                variant["checksum of the trace of " + device] =
                    MakeChecksum(ReadTextFile(spec.trace.file, "a trace of speeds (CSV)"));
            }
        }
        question[name.GetVariantName().empty() ? "scenario" : name.GetVariantName()] = variant;
    }
    question["--engine"] = m_options.fairShare && m_options.packet ? "both"
                           : m_options.packet                      ? PACKET_ENGINE
                                                                   : FAIR_SHARE_ENGINE;
    // results of two builds must not be mixed unseen
    question["checksum of the program"] = GetBuildName();
    return question;
}

void
Study::OpenFiles()
{
    const Scenario& scenario = m_prepared.front().scenario;
    const Profile& profile = *m_prepared.front().GetJob().profile;
    m_files = std::make_unique<CsvResults>(
        m_options.folder,
        profile,
        MakeCsvOptions(scenario, true),
        m_state->GetMerged().sizes);
    if (scenario.output.trace)
    {
        m_trace = std::make_unique<TraceFile>(m_options.folder + "/trace.json",
                                              profile,
                                              TraceFile::Options{});
    }
}

void
Study::TakeKept()
{
    m_start = std::chrono::steady_clock::now();
    m_saved = m_start;
    m_wallBefore = m_state->GetMerged().wallSeconds;
    for (uint32_t entry = 0; entry < m_entries.size(); ++entry)
    {
        if (const auto result = m_state->Load(entry))
        {
            Finished(entry, *result);
        }
    }
}

void
Study::SaveMerged()
{
    const auto now = std::chrono::steady_clock::now();
    if (m_nextToMerge > m_state->GetMerged().runs && now - m_saved >= SAVE_INTERVAL)
    {
        m_state->SetMerged({m_nextToMerge, m_files->Sync(), m_summary.wallSeconds});
        m_saved = now;
    }
}

std::string
Study::DescribeProgress() const
{
    const auto done = std::count_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) {
        return entry.done;
    });
    return "; the results so far are in " + m_options.folder + ": " + std::to_string(done) +
           " of " + std::to_string(m_entries.size()) +
           " runs; to go on: the same command with --resume";
}

} // namespace dml
} // namespace ns3
