/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-run.h"

#include "dml-host-libraries.h"
#include "dml-host-processes.h"
#include "dml-wall-clock-simulator.h"

#include "ns3/dml-child-process.h"
#include "ns3/dml-cpu-time.h"
#include "ns3/dml-error.h"
#include "ns3/dml-transfer-joiner.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <poll.h>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// What the processes may take to end, once they are told to.
constexpr std::chrono::seconds MOST_TO_END{5};

/// Silence after which a run has stalled: this, and so many times the longest step.
constexpr double LEAST_SILENCE = 30;
constexpr double SILENT_STEPS = 10;

/// @return seconds of the longest step of all jobs, if its ops ran one after the other
double
FindLongestStep(const std::vector<TrainingRun>& jobs)
{
    double longest = 0;
    for (const auto& job : jobs)
    {
        const StepPlan& plan = *job.plan;
        for (auto step = plan.seconds.begin(); step < plan.seconds.end(); step += plan.ops.size())
        {
            longest = std::max(longest, std::accumulate(step, step + plan.ops.size(), 0.0));
        }
    }
    return longest;
}

/// @return what the processes of a run know before there are any
HostProcesses
MakeProcesses(const HostRunSpec& spec)
{
    HostProcesses run{spec, JobEndpoints::MakeAll(spec.jobs, spec.transfer), {}, {}};
    for (uint32_t job = 0; job < spec.jobs.size(); ++job)
    {
        for (const auto& endpoint : run.endpoints[job].List())
        {
            HostMember& member = run.members.emplace_back();
            member.job = job;
            member.endpoint = endpoint;
        }
        if (spec.gloo)
        {
            const uint32_t workers = spec.jobs[job].workers;
            run.boards.push_back(std::make_unique<SharedBoard>(workers, GetGlooBoardSize(workers)));
        }
    }
    run.members.emplace_back(); // the keeper
    return run;
}

/// The run in the process that has started it, which listens to the others.
class HostRun : private RunObserver
{
  public:
    HostRun(const HostRunSpec& spec, RunObserver& observer);

    HostRunTotals Run();

  private:
    /// For how long the processes may be silent.
    using Clock = std::chrono::steady_clock;

    void Observe(const RunRecord& record) override;
    void MakePipes();
    bool Listen();
    void Read(std::size_t number);
    void Take(std::size_t number, const HostMessage& message);
    void TakeCounts(const std::string& body);
    void TakeSummary(const HostMember& member, const std::string& body);
    void Stop();
    void Check() const;

    const HostRunSpec& m_spec;         //!< what to do
    HostProcesses m_run;               //!< who does it; the last member is the keeper
    ChildProcess m_keeper;             //!< its process
    TransferJoiner m_joiner;           //!< what records are told to
    RecordMerger m_merger;             //!< of what the processes have seen
    double m_steps{0};                 //!< of the first job that are done
    uint32_t m_finished{0};            //!< workers of the first job
    bool m_stopping{false};            //!< the control pipe is closed
    bool m_over{false};                //!< the first job has done its steps, or enough of them
    std::chrono::seconds m_silence{0}; //!< for which the processes may say nothing
    Clock::time_point m_limit;         //!< when they have been silent for too long
    HostRunTotals m_totals;            //!< what it took
};

HostRun::HostRun(const HostRunSpec& spec, RunObserver& observer)
    : m_spec(spec),
      m_run(MakeProcesses(spec)),
      m_joiner(observer),
      m_merger(m_run.members.size(), *this),
      m_silence(std::llrint(LEAST_SILENCE + SILENT_STEPS * FindLongestStep(spec.jobs)))
{
}

/// Tells the joiner, counts the steps of the first job, and asks whether they are enough.
void
HostRun::Observe(const RunRecord& record)
{
    m_joiner.Observe(record);
    if (record.job > 0 || !std::holds_alternative<StepRecord>(record.event))
    {
        return;
    }
    const TrainingRun& job = m_spec.jobs.front();
    ++m_steps;
    if (m_spec.progress)
    {
        m_spec.progress(m_steps / (static_cast<double>(job.steps) * job.workers));
    }
    if (m_spec.stop && m_spec.stop())
    {
        m_over = true;
        Stop();
    }
}

void
HostRun::MakePipes()
{
    const auto make = [](OpenFile& read, OpenFile& write) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
        {
            throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
        }
        read = OpenFile(ends[0]);
        write = OpenFile(ends[1]);
    };
    make(m_run.control[0], m_run.control[1]);
    for (auto& member : m_run.members)
    {
        make(member.messages, member.writes);
        fcntl(member.messages.Get(), F_SETFL, O_NONBLOCK);
        member.reader = HostMessageReader(member.messages.Get());
    }
}

HostRunTotals
HostRun::Run()
{
    MakePipes();
    const double busy = ReadBusySeconds();
    const double own = ReadCpuSeconds(RUSAGE_CHILDREN);
    const int64_t start = WallClockSimulator::ReadClock();
    const pid_t self = getpid();
    if (m_keeper.Fork())
    {
        KeepHostRun(m_run, self);
    }
    m_run.control[0] = OpenFile();
    for (auto& member : m_run.members)
    {
        member.writes = OpenFile();
    }
    m_limit = Clock::now() + m_silence;
    while (Listen())
    {
    }
    m_merger.Finish();
    const std::string end = DescribeEnd(m_keeper.Wait());
    std::string& error = m_run.members.back().error;
    if (error.empty() && !end.empty())
    {
        error = "the process of the network " + end;
    }
    const double seconds = 1e-9 * static_cast<double>(WallClockSimulator::ReadClock() - start);
    m_totals.otherCpu =
        std::max(0.0, ReadBusySeconds() - busy - (ReadCpuSeconds(RUSAGE_CHILDREN) - own)) / seconds;
    Check();
    return std::move(m_totals);
}

bool
HostRun::Listen()
{
    std::vector<pollfd> files; // by member; poll() leaves out those that are closed, with -1
    for (const auto& member : m_run.members)
    {
        files.push_back({member.messages.Get(), POLLIN, 0});
    }
    if (std::all_of(files.begin(), files.end(), [](const auto& file) { return file.fd < 0; }))
    {
        return false;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(m_limit - Clock::now());
    if (left.count() <= 0)
    {
        if (!m_stopping)
        {
            m_run.members.back().error =
                "nothing has happened for " + std::to_string(m_silence.count()) + " s";
        }
        m_keeper.End(); // and with it all others
        return false;
    }
    poll(files.data(), files.size(), left.count() + 1);
    for (std::size_t i = 0; i < files.size(); ++i)
    {
        if (files[i].revents)
        {
            Read(i);
        }
    }
    return true;
}

void
HostRun::Read(std::size_t number)
{
    HostMember& member = m_run.members[number];
    std::vector<HostMessage> messages;
    const bool open = member.reader.Read(messages);
    for (const auto& message : messages)
    {
        Take(number, message);
    }
    if (!open)
    {
        member.messages = OpenFile();
        Stop(); // whoever has gone, the others cannot go on
    }
}

void
HostRun::Take(std::size_t number, const HostMessage& message)
{
    HostMember& member = m_run.members[number];
    const bool keeper = number + 1 == m_run.members.size();
    switch (message.kind)
    {
    case HostMessageKind::RECORDS:
        if (!message.body.empty() && !m_stopping)
        {
            m_limit = Clock::now() + m_silence;
        }
        m_merger.Add(number, UnpackItems<StampedRecord>(message.body), message.time);
        break;
    case HostMessageKind::FINISHED:
        m_totals.seconds = std::max(m_totals.seconds, message.time);
        if (++m_finished == m_spec.jobs.front().workers)
        {
            m_over = true;
            Stop();
        }
        break;
    case HostMessageKind::REFUSED:
        throw InputError(message.body);
    case HostMessageKind::FAILED:
        if (!m_over) // else it is about the end of another one
        {
            member.error = message.body;
            member.failed = message.time;
            Stop();
        }
        break;
    case HostMessageKind::NOTE:
        m_totals.notes.push_back(message.body);
        break;
    case HostMessageKind::TCP:
        m_totals.tcp = UnpackItems<KernelTcpCounts>(message.body).front();
        break;
    case HostMessageKind::SUMMARY:
        keeper ? TakeCounts(message.body) : TakeSummary(member, message.body);
        break;
    }
}

void
HostRun::TakeCounts(const std::string& body)
{
    const auto counts = UnpackItems<HostLinkCount>(body);
    for (DirectedLink link = 0; link < counts.size(); ++link)
    {
        LinkTotals totals;
        totals.link = m_spec.network.GetName(link);
        totals.rate = m_spec.network.GetRate(link).GetBitRate();
        totals.bytes = counts[link].bytes;
        totals.packets = counts[link].packets;
        totals.dropped = counts[link].drops;
        totals.utilisation = 8.0 * static_cast<double>(totals.bytes) /
                             (static_cast<double>(totals.rate) * m_totals.seconds);
        m_totals.links.push_back(totals);
    }
}

void
HostRun::TakeSummary(const HostMember& member, const std::string& body)
{
    for (const auto& summary : UnpackItems<EndpointSummary>(body))
    {
        EndpointSummary& all = m_totals.processes;
        all.cpuSeconds += summary.cpuSeconds;
        m_totals.cpuSeconds[m_run.GetName(member)] = summary.cpuSeconds;
        all.timers += summary.timers;
        all.lateSeconds += summary.lateSeconds;
        all.latestSeconds = std::max(all.latestSeconds, summary.latestSeconds);
        all.retransmissions += summary.retransmissions;
    }
}

void
HostRun::Stop()
{
    if (!m_stopping)
    {
        m_stopping = true;
        m_limit = Clock::now() + MOST_TO_END;
        m_run.control[1] = OpenFile();
    }
}

void
HostRun::Check() const
{
    if (m_over)
    {
        return;
    }
    // who died comes before those who miss it
    if (!m_run.members.back().error.empty())
    {
        throw RunError("host engine: " + m_run.members.back().error);
    }
    const HostMember* first = nullptr;
    for (const auto& member : m_run.members)
    {
        const bool failed = !member.error.empty();
        first = failed && (!first || member.failed < first->failed) ? &member : first;
    }
    throw RunError("host engine: " + (first ? first->error : "its processes have ended too early"));
}

} // namespace

HostRunTotals
RunOnHost(const HostRunSpec& spec, RunObserver& observer)
{
    return HostRun(spec, observer).Run();
}

} // namespace ns3::dml
