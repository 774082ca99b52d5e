/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study.h"

#include "ns3/dml-result-csv.h"
#include "ns3/dml-trace-file.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

using Clock = std::chrono::steady_clock;

/**
 * @param start when something was begun that is done now and then, and has just ended
 * @return when to do it again: it takes a twentieth of the time at most. A kill in between undoes
 * nothing but copying rows, and summing up.
 */
Clock::time_point
GetNextTime(Clock::time_point start)
{
    constexpr std::chrono::seconds INTERVAL{1};
    const auto now = Clock::now();
    return now + std::max<Clock::duration>(INTERVAL, 20 * (now - start));
}

} // namespace

void
Study::OpenFiles()
{
    const Scenario& scenario = m_plan.GetFirst().scenario;
    const Profile& profile = *m_plan.GetFirst().GetJob().profile;
    m_files = std::make_unique<CsvResults>(m_options.folder,
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
    m_start = Clock::now();
    m_nextSave = GetNextTime(m_start);
    m_wallBefore = m_state->GetMerged().wallSeconds;
    for (uint32_t entry = 0; entry < m_done.size(); ++entry)
    {
        if (const auto result = m_state->Load(entry))
        {
            Finished(entry, *result);
        }
    }
}

void
Study::WriteSometimes()
{
    const auto start = Clock::now();
    if (m_stale && start >= m_nextWrite)
    {
        Write();
        m_nextWrite = GetNextTime(start);
    }
}

void
Study::SaveMerged()
{
    if (m_options.scratch)
    {
        return; // nobody will resume it
    }
    const auto start = Clock::now();
    if (m_nextToMerge > m_state->GetMerged().runs && start >= m_nextSave)
    {
        m_state->SetMerged({m_nextToMerge, m_files->Sync(), m_summary.wallSeconds.value_or(0)});
        m_nextSave = GetNextTime(start);
    }
}

std::string
Study::DescribeProgress(const char* separator, bool again) const
{
    if (m_options.scratch)
    {
        return "";
    }
    const auto done = std::count(m_done.begin(), m_done.end(), true);
    return std::string(separator) + "the results so far are in " + m_options.folder + ": " +
           std::to_string(done) + " of " + std::to_string(m_done.size()) + " runs; " +
           (again ? "the others would fail in the same way again: the scenario has to change"
                  : "to go on: the same command with --resume");
}

} // namespace ns3::dml
