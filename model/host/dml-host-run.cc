/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-run.h"

#include "dml-record-merger.h"
#include "dml-wall-clock-simulator.h"

#include "ns3/dml-cpu-time.h"
#include "ns3/dml-error.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

namespace
{

/// What the processes may take to end, once they are told to.
constexpr std::chrono::seconds MOST_TO_END{5};

/// Silence after which a run has stalled: this, and so many times the longest step.
constexpr double LEAST_SILENCE = 30;
constexpr double SILENT_STEPS = 10;

/// @return CPU seconds that all processes of this machine have taken since it was started
double
ReadBusySeconds()
{
    std::ifstream file("/proc/stat");
    std::string word;
    double user = 0;
    double nice = 0;
    double system = 0;
    file >> word >> user >> nice >> system;
    return (user + nice + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// @return seconds of the longest step of a job, if its ops ran one after the other
double
FindLongestStep(const TrainingRun& run)
{
    const StepPlan& plan = *run.plan;
    double longest = 0;
    for (std::size_t first = 0; first < plan.seconds.size(); first += plan.ops.size())
    {
        double sum = 0;
        for (std::size_t op = 0; op < plan.ops.size(); ++op)
        {
            sum += plan.seconds[first + op];
        }
        longest = std::max(longest, sum);
    }
    return longest;
}

} // namespace

/// Tells the joiner, counts the steps of the first job, and asks whether they are enough.
class HostRun::StepCounter : public RunObserver
{
  public:
    explicit StepCounter(HostRun& run)
        : m_run(run)
    {
    }

    void Observe(const RunRecord& record) override
    {
        m_run.m_joiner.Observe(record);
        if (record.job > 0 || !std::holds_alternative<StepRecord>(record.event))
        {
            return;
        }
        const TrainingRun& job = m_run.m_jobs.front();
        const double all = static_cast<double>(job.steps) * job.workers;
        if (m_run.m_progress)
        {
            m_run.m_progress(++m_steps / all);
        }
        if (m_run.m_stopRule && m_run.m_stopRule())
        {
            m_run.m_over = true;
            m_run.Stop();
        }
    }

  private:
    HostRun& m_run;    //!< run with the steps
    double m_steps{0}; //!< steps that are done
};

HostRun::HostRun(const std::vector<TrainingRun>& jobs,
                 const ClusterNetwork& network,
                 const TransferSpec& transfer,
                 const HostGrpcSpec& grpc,
                 MakePlaces make,
                 RunObserver* observer)
    : m_jobs(jobs),
      m_network(network),
      m_transfer(transfer),
      m_grpc(grpc),
      m_make(std::move(make)),
      m_endpoints(JobEndpoints::MakeAll(jobs, transfer)),
      m_joiner(observer ? *observer : m_nobody)
{
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (const auto& endpoint : m_endpoints[job].List())
        {
            m_members.emplace_back();
            m_members.back().job = job;
            m_members.back().endpoint = endpoint;
        }
        const double longest = LEAST_SILENCE + SILENT_STEPS * FindLongestStep(jobs[job]);
        m_silence = std::max(m_silence, std::chrono::seconds(std::llrint(longest)));
    }
    m_members.emplace_back(); // the keeper
}

HostRun::~HostRun()
{
    for (auto& member : m_members)
    {
        CloseFile(member.messages);
        CloseFile(member.writes);
    }
    CloseFile(m_control[0]);
    CloseFile(m_control[1]);
    if (m_keeper > 0)
    {
        kill(m_keeper, SIGKILL);
        waitpid(m_keeper, nullptr, 0);
    }
}

void
HostRun::UseGloo()
{
    for (const auto& job : m_jobs)
    {
        m_boards.push_back(
            std::make_unique<SharedBoard>(job.workers, GetGlooBoardSize(job.workers)));
    }
}

void
HostRun::SampleConnections()
{
    m_connections = true;
}

void
HostRun::StopWhen(std::function<bool()> rule)
{
    m_stopRule = std::move(rule);
}

void
HostRun::MakePipes()
{
    const auto make = [](int& read, int& write) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
        {
            throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
        }
        read = ends[0];
        write = ends[1];
    };
    make(m_control[0], m_control[1]);
    for (auto& member : m_members)
    {
        make(member.messages, member.writes);
        fcntl(member.messages, F_SETFL, O_NONBLOCK);
        member.reader = std::make_unique<HostMessageReader>(member.messages);
    }
}

void
HostRun::CloseFile(int& file) const
{
    if (file >= 0)
    {
        close(file);
        file = -1;
    }
}

HostRunTotals
HostRun::Run(const std::function<void(double)>& progress)
{
    m_progress = progress;
    MakePipes();
    const double busy = ReadBusySeconds();
    const double own = ReadCpuSeconds(RUSAGE_CHILDREN);
    const int64_t start = WallClockSimulator::ReadClock();
    const pid_t self = getpid();
    m_keeper = fork();
    if (m_keeper < 0)
    {
        throw RunError(std::string("cannot make a process: ") + std::strerror(errno));
    }
    if (m_keeper == 0)
    {
        Keep(self);
    }
    CloseFile(m_control[0]);
    for (auto& member : m_members)
    {
        CloseFile(member.writes);
    }
    m_limit = Clock::now() + m_silence;
    StepCounter counter(*this);
    RecordMerger merger(m_members.size(), counter);
    while (Listen(merger))
    {
    }
    merger.Finish();
    int status = 0;
    waitpid(m_keeper, &status, 0);
    m_keeper = -1;
    const std::string end = DescribeEnd(status);
    if (m_members.back().error.empty() && !end.empty())
    {
        m_members.back().error = "the process of the network " + end;
    }
    const double seconds = 1e-9 * static_cast<double>(WallClockSimulator::ReadClock() - start);
    m_totals.otherCpu =
        std::max(0.0, ReadBusySeconds() - busy - (ReadCpuSeconds(RUSAGE_CHILDREN) - own)) / seconds;
    Check();
    return m_totals;
}

bool
HostRun::Listen(RecordMerger& merger)
{
    std::vector<pollfd> files;
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < m_members.size(); ++i)
    {
        if (m_members[i].messages >= 0)
        {
            files.push_back({m_members[i].messages, POLLIN, 0});
            members.push_back(i);
        }
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(m_limit - Clock::now());
    if (files.empty() || left.count() <= 0)
    {
        EndSilence(!files.empty());
        return false;
    }
    poll(files.data(), files.size(), left.count() + 1);
    for (std::size_t i = 0; i < files.size(); ++i)
    {
        if (files[i].revents)
        {
            Read(members[i], merger);
        }
    }
    return true;
}

void
HostRun::Read(std::size_t number, RecordMerger& merger)
{
    Member& member = m_members[number];
    std::vector<HostMessage> messages;
    const bool open = member.reader->Read(messages);
    for (const auto& message : messages)
    {
        Take(number, message, merger);
    }
    if (!open)
    {
        CloseFile(member.messages);
        Stop(); // whoever has gone, the others cannot go on
    }
}

void
HostRun::Take(std::size_t number, const HostMessage& message, RecordMerger& merger)
{
    Member& member = m_members[number];
    const bool keeper = number + 1 == m_members.size();
    switch (message.kind)
    {
    case HostMessageKind::RECORDS:
        if (!message.body.empty() && !m_stopping)
        {
            m_limit = Clock::now() + m_silence;
        }
        merger.Add(number, UnpackItems<StampedRecord>(message.body), message.time);
        break;
    case HostMessageKind::FINISHED:
        m_totals.seconds = std::max(m_totals.seconds, message.time);
        if (++m_finished == m_jobs.front().workers)
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
        totals.link = m_network.GetName(link);
        totals.rate = m_network.GetLinks()[link / 2].rate.GetBitRate();
        totals.bytes = counts[link].bytes;
        totals.packets = counts[link].packets;
        totals.dropped = counts[link].drops;
        totals.utilisation = 8.0 * static_cast<double>(totals.bytes) /
                             (static_cast<double>(totals.rate) * m_totals.seconds);
        m_totals.links.push_back(totals);
    }
}

void
HostRun::TakeSummary(const Member& member, const std::string& body)
{
    for (const auto& summary : UnpackItems<EndpointSummary>(body))
    {
        EndpointSummary& all = m_totals.processes;
        all.cpuSeconds += summary.cpuSeconds;
        m_totals.cpuSeconds[m_endpoints[member.job].GetName(member.endpoint)] = summary.cpuSeconds;
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
        CloseFile(m_control[1]);
    }
}

void
HostRun::EndSilence(bool waits)
{
    if (!waits)
    {
        return;
    }
    if (!m_stopping)
    {
        m_members.back().error =
            "nothing has happened for " + std::to_string(m_silence.count()) + " s";
    }
    kill(m_keeper, SIGKILL); // and with it all others
}

void
HostRun::Check() const
{
    if (m_over)
    {
        return;
    }
    // who died comes before those who miss it
    if (!m_members.back().error.empty())
    {
        throw RunError("host engine: " + m_members.back().error);
    }
    const Member* first = nullptr;
    for (const auto& member : m_members)
    {
        const bool failed = !member.error.empty();
        first = failed && (!first || member.failed < first->failed) ? &member : first;
    }
    throw RunError("host engine: " + (first ? first->error : "its processes have ended too early"));
}

} // namespace ns3::dml
