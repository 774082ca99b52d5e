/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study.h"

#include "dml-progress-board.h"
#include "dml-rank-launcher.h"

#include "ns3/dml-busy-note.h"
#include "ns3/dml-error.h"
#include "ns3/dml-failure.h"
#include "ns3/dml-match-table.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-rank-world.h"
#include "ns3/dml-result-csv.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-run-notes.h"
#include "ns3/dml-study-warnings.h"
#include "ns3/dml-summary-json.h"
#include "ns3/dml-throughput-csv.h"
#include "ns3/dml-trace-file.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Give memory that nobody uses back to the system: every run would inherit it.
void
TrimMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace

Study::Study(const std::vector<Scenario>& scenarios, const Options& options)
    : m_options(options),
      m_plan(scenarios, options.engines, options.ranks),
      m_done(m_plan.GetRuns().size())
{
    for (const uint32_t run : options.cases)
    {
        if (run >= m_done.size())
        {
            throw InputError("--case: found " + std::to_string(run) + "; accepted: 0 to " +
                             std::to_string(m_done.size() - 1) +
                             ", the numbers of this study's runs");
        }
    }
    if (options.unfinished == UnfinishedStudy::JOIN)
    {
        m_plan.PrepareFor(options.cases);
        return;
    }
    m_plan.PrepareAll();
    m_plan.CheckMemory(options.jobs);
    m_plan.CheckDisk(options.folder);
    m_summary = m_plan.MakeSummary();
    TrimMemory();
}

Study::~Study() = default;

void
Study::MakeFolder()
{
    const bool joins = m_options.unfinished == UnfinishedStudy::JOIN;
    m_folder = std::make_unique<ResultFolder>(m_options.folder,
                                              joins ? ResultFolder::Lock::SHARED
                                                    : ResultFolder::Lock::EXCLUSIVE);
    m_state = std::make_unique<StudyState>(
        m_options.folder,
        GetQuestion(),
        m_options.command,
        StudyState::Options{m_options.unfinished, m_options.force, !m_options.scratch});
}

const std::string&
Study::GetFolder() const
{
    return m_options.folder;
}

std::string
Study::GetMissingPath() const
{
    return m_options.folder + "/missing-cases.txt";
}

const StudyIdentity&
Study::GetQuestion()
{
    if (!m_question)
    {
        m_question = m_plan.MakeQuestion();
    }
    return *m_question;
}

std::string
Study::RunEntry(uint32_t entry, const ProcessPool::Progress& progress) const
{
    const StudyCase& work = m_plan.GetRuns()[entry].work;
    const std::string folder = m_state->GetStore().MakeRunFolder(entry);
    std::string result;
    if (work.ranks > 1)
    {
        std::vector<std::string> arguments{"run-rank", "--case=" + std::to_string(entry), folder};
        arguments.insert(arguments.end(), m_options.arguments.begin(), m_options.arguments.end());
        result = RankLauncher(folder).Run(work.ranks, arguments, progress.fraction);
    }
    else
    {
        const auto prepared = m_plan.GetPrepared(work.variant);
        result = PackCaseResult(RunStudyCase(*prepared, work, folder, progress));
    }
    m_state->GetStore().Keep(entry, result);
    return result;
}

void
Study::RunOnRank(uint32_t entry, const std::string& folder) const
{
    const StudyCase& work = m_plan.GetRuns()[entry].work;
    const RankLauncher launcher(folder);
    RankWorld world;
    try
    {
        if (world.GetRanks() != work.ranks)
        {
            throw RunError("--ranks: " + std::to_string(world.GetRanks()) + " of " +
                           std::to_string(work.ranks) +
                           " processes know of each other: the mpirun of the PATH is not that of "
                           "the MPI library with which this dml is linked");
        }
        const auto prepared = m_plan.GetPrepared(work.variant);
        if (world.GetRank() == 0)
        {
            launcher.HandOver(PackCaseResult(
                RunStudyCase(*prepared, work, folder, {RankLauncher::PrintProgress, {}}, &world)));
        }
        else
        {
            JoinStudyCase(*prepared, work, folder, world);
        }
    }
    catch (...)
    {
        launcher.Fail(DescribeException());
        RankWorld::Abort();
    }
}

Failure
Study::RunAll(const std::vector<uint32_t>& entries, const Done& done)
{
    std::vector<double> costs;
    for (const uint32_t entry : entries)
    {
        costs.push_back(m_plan.GetRuns()[entry].cost.cpuSeconds);
    }
    m_plan.BuildNetworks(entries);
    ProgressBoard board(std::move(costs),
                        [&](uint32_t task) { return m_plan.GetLabel(entries[task]); });
    Failure failure{1, true, ""};
    uint32_t first = 0;
    const auto work = [&](uint32_t task, const ProcessPool::Progress& progress) {
        return RunEntry(entries[first + task], progress);
    };
    const auto ended = [&](const ProcessPool::Result& result) {
        const uint32_t entry = entries[first + result.task];
        board.SetDone(first + result.task);
        if (result.failure != 0)
        {
            failure.text += "\n  " + m_plan.GetLabel(entry) + ": " + result.text;
            failure.again = failure.again && result.again;
            return;
        }
        done(entry, result.text);
    };
    const auto watch = [&](std::vector<ProcessPool::Running> running) {
        for (auto& task : running)
        {
            task.task += first;
        }
        board.Show(running);
        WriteSometimes();
    };
    // those in real time come last, and want the machine for themselves
    const uint32_t together = std::find_if(entries.begin(),
                                           entries.end(),
                                           [&](uint32_t entry) {
                                               return GetEngine(m_plan.GetRuns()[entry].work.engine)
                                                   .Has(EngineTrait::RUNS_IN_REAL_TIME);
                                           }) -
                              entries.begin();
    // A process takes longer to make than a short run of the quick engine. Each of those at the
    // same time gets a part.
    const auto share = [&](uint32_t task) {
        constexpr double SECONDS = 0.1;
        const uint32_t most = (together - task + m_options.jobs - 1) / m_options.jobs;
        double seconds = 0;
        uint32_t count = 0;
        for (; count < most; ++count)
        {
            const PlannedRun& run = m_plan.GetRuns()[entries[task + count]];
            seconds += run.cost.cpuSeconds;
            if (!GetEngine(run.work.engine).Has(EngineTrait::QUICK) || seconds > SECONDS)
            {
                break;
            }
        }
        return count;
    };
    ProcessPool(m_options.jobs, m_options.cpuLimit).Run(together, work, ended, watch, share);
    first = together;
    ProcessPool(1).Run(entries.size() - together, work, ended, watch);
    return failure;
}

const RunSummary&
Study::Run()
{
    OpenFiles();
    TakeKept();
    Failure failure;
    try
    {
        failure = RunAll(FindMissing(), [this](uint32_t entry, const std::string& bytes) {
            Finished(entry, bytes);
            WriteSometimes();
            SaveMerged();
        });
    }
    catch (const CpuLimitError&)
    {
        throw; // who has set the limit knows what to do
    }
    catch (const InterruptedError& error)
    {
        WritePart();
        throw InterruptedError(error.what() + DescribeProgress("; ", false));
    }
    catch (const RunError& error)
    {
        WritePart();
        throw RunError(error.what() + DescribeProgress("; ", false));
    }
    if (!failure.text.empty())
    {
        WritePart();
        throw RunError("some runs failed:" + failure.text + DescribeProgress("\n", failure.again));
    }
    Finish();
    return m_summary;
}

void
Study::Finish()
{
    AddLossNotes();
    Write();
    if (!m_options.scratch)
    {
        m_files->Sync(); // what is removed below could write them again
    }
    m_files->Close();
    if (m_trace)
    {
        m_trace->Close();
    }
    if (m_options.scratch)
    {
        return;
    }
    if (m_plan.GetFirst().scenario.output.plots)
    {
        Draw();
    }
    Write(true);
    std::error_code ignored;
    fs::remove(GetMissingPath(), ignored);
    m_state->Remove();
}

uint32_t
Study::RunCases()
{
    std::vector<uint32_t> left;
    for (const uint32_t run : m_options.cases)
    {
        if (!m_state->Load(run))
        {
            left.push_back(run);
        }
    }
    const Failure failure = RunAll(left, [](uint32_t, const std::string&) {});
    if (!failure.text.empty())
    {
        throw RunError("some runs failed:" + failure.text);
    }
    return m_options.cases.size() - left.size();
}

std::vector<uint32_t>
Study::Merge(const std::vector<std::string>& folders)
{
    for (const auto& folder : folders)
    {
        m_state->Import(folder, GetQuestion(), m_done.size());
    }
    OpenFiles();
    TakeKept();
    const auto missing = FindMissing();
    missing.empty() ? Finish() : WritePart();
    return missing;
}

void
Study::MarkKept()
{
    for (uint32_t entry = 0; entry < m_done.size(); ++entry)
    {
        m_done[entry] = m_state->Load(entry).has_value();
    }
}

std::vector<uint32_t>
Study::FindMissing() const
{
    auto order = m_plan.GetOrder();
    order.erase(std::remove_if(order.begin(),
                               order.end(),
                               [this](uint32_t entry) { return m_done[entry]; }),
                order.end());
    return order;
}

void
Study::Finished(uint32_t entry, const std::string& bytes)
{
    CaseResult result = UnpackCaseResult(bytes);
    const PlannedRun& run = m_plan.GetRuns()[entry];
    CaseSummary& summary = m_summary.cases[run.summary];
    if (m_options.engines.count(MAIN_COMPARISON.what) == 0 ||
        m_options.engines.count(MAIN_COMPARISON.against) == 0)
    {
        result.summary.completions = {}; // with which nobody will compare any
    }
    summary.engines[run.work.engine].Add(std::move(result.summary));
    if (result.utilisation)
    {
        m_details[run.work.variant][run.work.engine] = std::move(result);
    }
    m_done[entry] = true;
    m_stale = true;
    // rows go into the files in a fixed order, whatever order the runs end in
    for (; m_nextToMerge < m_done.size() && m_done[m_nextToMerge]; ++m_nextToMerge)
    {
        Merge(m_nextToMerge);
    }
}

void
Study::Merge(uint32_t entry)
{
    const std::string folder = m_state->GetStore().GetRunFolder(entry);
    if (entry >= m_state->GetMerged().runs)
    {
        m_files->AppendFrom(folder);
        for (const auto& capture : ListPaths(folder, IsCapture))
        {
            const fs::path path = m_options.folder / GetCapturePath(capture);
            if (GetCapturePath(capture).has_parent_path())
            {
                MakeInnerFolder(path.parent_path().string());
            }
            fs::rename(capture, path);
        }
    }
    if (m_trace && fs::exists(folder + "/trace.json"))
    {
        m_trace->AppendPart(folder + "/trace.json");
    }
}

void
Study::WritePart()
{
    for (uint32_t entry = m_nextToMerge; entry < m_done.size(); ++entry)
    {
        if (m_done[entry])
        {
            Merge(entry);
        }
    }
    AddLossNotes();
    Write();
}

void
Study::AddLossNotes()
{
    for (const auto& notes : {MakeCollapseNotes(m_summary),
                              MakeLossNotes(m_summary),
                              MakeReorderNotes(m_summary),
                              MakeStopNotes(m_summary),
                              MakeSkipNotes(m_summary),
                              MakeBusyNotes(m_summary),
                              MakeExpectedErrorNotes(m_summary),
                              MakeLateNotes(m_plan.GetScenarios(), m_summary)})
    {
        m_summary.notes.insert(m_summary.notes.end(), notes.begin(), notes.end());
    }
}

void
Study::Write(bool durable)
{
    m_summary.wallSeconds =
        m_wallBefore + std::chrono::duration<double>(Clock::now() - m_start).count();
    if (m_options.unfinished == UnfinishedStudy::MERGE)
    {
        m_summary.wallSeconds.reset(); // nobody knows how long all those commands took together
    }
    m_summary.missingRuns = std::count(m_done.begin(), m_done.end(), false);
    m_files->Flush();
    WriteSummary(m_options.folder + "/summary.json", m_summary, durable);
    ResultFile::Replace(
        m_options.folder + "/throughput.csv",
        [this](ResultFile& file) { WriteThroughputCsv(file, m_summary); },
        durable);
    if (HasMatches(m_summary))
    {
        ResultFile::Replace(
            m_options.folder + "/matched.csv",
            [this](ResultFile& file) { WriteMatchedCsv(file, m_summary); },
            durable);
    }
    m_stale = false;
}

} // namespace ns3::dml
