/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a run does in the processes that it starts.

#include "dml-host-processes.h"
#include "dml-wall-clock-simulator.h"

#include "ns3/dml-error.h"
#include "ns3/dml-host-names.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Time that processes get to start and connect before the run begins.
const Time SETUP = MilliSeconds(300);
const Time SETUP_OF_EACH = MilliSeconds(20);

/// Length of the intervals over which link rates are averaged.
const Time LINK_INTERVAL = MilliSeconds(20);

/// Be killed when the process that has started this one dies.
void
DieWith(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
    {
        _exit(1); // it was faster
    }
}

/// Reads now and then what the links of parameter servers carry.
class LinkSampler
{
  public:
    /// @param jobs whose servers @param network with their hosts @param places where the links are;
    /// must outlive this
    LinkSampler(const std::vector<TrainingRun>& jobs,
                const ClusterNetwork& network,
                HostPlaces& places)
        : m_places(places)
    {
        for (uint32_t job = 0; job < jobs.size(); ++job)
        {
            for (uint32_t server = 0; server < jobs[job].plan->servers; ++server)
            {
                const DirectedLink out = network.FindUplink(ServerName(job, server));
                const Endpoint endpoint{Role::SERVER, server};
                for (const auto& [way, link] : {std::pair(AccessLink::Way::OUT, out),
                                                std::pair(AccessLink::Way::IN, out ^ 1)})
                {
                    m_links.push_back({job, {endpoint, way}, link, places.CountBytes(link)});
                }
            }
        }
    }

    /// @param time now, seconds from the start of the run @return what they did since the last
    /// call, a LinkRecord for each direction that carried something
    std::vector<StampedRecord> Sample(double time)
    {
        std::vector<StampedRecord> records;
        for (auto& link : m_links)
        {
            const uint64_t bytes = m_places.CountBytes(link.link);
            if (bytes > link.bytes && m_last >= 0)
            {
                const double rate = static_cast<double>(bytes - link.bytes) / (time - m_last);
                records.push_back({time, {link.job, LinkRecord{link.access, m_last, time, rate}}});
            }
            link.bytes = bytes;
        }
        m_last = time;
        return records;
    }

  private:
    /// A direction of a server's link.
    struct Link
    {
        uint32_t job{0};      //!< of the server
        AccessLink access;    //!< what it is to the server
        DirectedLink link{0}; //!< in the network
        uint64_t bytes{0};    //!< bytes that it had carried at the last call
    };

    HostPlaces& m_places;      //!< where the links are
    std::vector<Link> m_links; //!< of the servers
    double m_last{-1};         //!< when they were read; below 0: before the run
};

/// @brief Make the process of an endpoint. @return its number
pid_t
StartEndpoint(const HostProcesses& run, HostMember& member)
{
    const pid_t self = getpid();
    const pid_t process = fork();
    if (process < 0)
    {
        throw RunError(std::string("cannot make a process: ") + std::strerror(errno));
    }
    if (process > 0)
    {
        member.writes = OpenFile();
        return process;
    }
    DieWith(self);
    try
    {
        RunEndpoint(run, member);
    }
    catch (const std::exception& error)
    {
        HostMessageWriter writer(member.writes.Get());
        writer.Send({HostMessageKind::FAILED, 0, run.GetName(member) + ": " + error.what()});
        writer.Finish();
    }
    _exit(0);
}

/// @brief Wait for an interval. @param processes of endpoints, from which those that end go
/// @return whether there are any @throws RunError if one has not ended well
bool
WaitForEndpoints(const HostProcesses& run, std::map<pid_t, const HostMember*>& processes)
{
    poll(nullptr, 0, LINK_INTERVAL.GetMilliSeconds());
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
    {
        const auto process = processes.find(ended);
        const std::string end = DescribeEnd(status);
        if (process != processes.end() && !end.empty())
        {
            throw RunError("the process of " + run.GetName(*process->second) + " " + end);
        }
        processes.erase(ended);
    }
    return !processes.empty();
}

/// @brief Make the places and the endpoints' processes, and tell of the links until these end.
void
KeepPlaces(HostProcesses& run, pid_t parent, HostMessageWriter& writer)
{
    run.places = run.spec.makePlaces();
    DieWith(parent); // a new user namespace has forgotten it
    for (const auto& note : run.places->notes)
    {
        writer.Send({HostMessageKind::NOTE, 0, note});
    }
    const auto before = run.places->ReadLinks();
    const KernelTcpCounts tcpBefore = run.places->CountTcp();
    run.clock = WallClockSimulator::ReadClock();
    run.setup = SETUP + SETUP_OF_EACH * static_cast<int64_t>(run.members.size());
    std::map<pid_t, const HostMember*> processes;
    for (std::size_t i = 0; i + 1 < run.members.size(); ++i)
    {
        processes[StartEndpoint(run, run.members[i])] = &run.members[i];
    }
    LinkSampler sampler(run.spec.jobs, run.spec.network, *run.places);
    while (WaitForEndpoints(run, processes))
    {
        const double time =
            1e-9 * static_cast<double>(WallClockSimulator::ReadClock() - run.clock) -
            run.setup.GetSeconds();
        writer.Send({HostMessageKind::RECORDS, time, PackItems(sampler.Sample(time))});
    }
    auto counts = run.places->ReadLinks();
    for (std::size_t link = 0; link < counts.size(); ++link)
    {
        counts[link].bytes -= before[link].bytes;
        counts[link].packets -= before[link].packets;
        counts[link].drops -= before[link].drops;
    }
    KernelTcpCounts tcp = run.places->CountTcp();
    tcp.timeouts -= tcpBefore.timeouts;
    tcp.recoveries -= tcpBefore.recoveries;
    writer.Send({HostMessageKind::TCP, 0, PackItems(std::vector<KernelTcpCounts>{tcp})});
    writer.Send({HostMessageKind::SUMMARY, 0, PackItems(counts)});
}

} // namespace

std::string
DescribeEnd(int status)
{
    if (WIFSIGNALED(status))
    {
        return "was killed by signal " + std::to_string(WTERMSIG(status));
    }
    return WEXITSTATUS(status) == 0 ? ""
                                    : "ended with status " + std::to_string(WEXITSTATUS(status));
}

void
KeepHostRun(HostProcesses& run, pid_t parent)
{
    DieWith(parent);
    run.control[1] = OpenFile();
    HostMessageWriter writer(run.members.back().writes.Get());
    int code = 0;
    try
    {
        KeepPlaces(run, parent, writer);
    }
    catch (const InputError& error)
    {
        writer.Send({HostMessageKind::REFUSED, 0, error.what()});
        code = 1;
    }
    catch (const std::exception& error)
    {
        writer.Send({HostMessageKind::FAILED, 0, error.what()});
        code = 1;
    }
    writer.Finish();
    _exit(code); // nothing of the process that has started this one is to end twice
}

} // namespace ns3::dml
