/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a run does in the processes that it starts.

#include "dml-host-run.h"
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
    /**
     * @param jobs whose servers
     * @param network with their hosts
     * @param places where the links are; must outlive this
     */
    LinkSampler(const std::vector<TrainingRun>& jobs,
                const ClusterNetwork& network,
                HostPlaces& places);

    /// @param time now, seconds from the start of the run @return what they did since the last
    /// call, a LinkRecord for each direction that carried something
    std::vector<StampedRecord> Sample(double time);

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

LinkSampler::LinkSampler(const std::vector<TrainingRun>& jobs,
                         const ClusterNetwork& network,
                         HostPlaces& places)
    : m_places(places)
{
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t server = 0; server < jobs[job].plan->servers; ++server)
        {
            const DirectedLink out =
                network.GetHostUplink(network.FindHost(ServerName(job, server)));
            const Endpoint endpoint{Role::SERVER, server};
            m_links.push_back({job, {endpoint, AccessLink::Way::OUT}, out, 0});
            m_links.push_back({job, {endpoint, AccessLink::Way::IN}, out ^ 1, 0});
        }
    }
    for (auto& link : m_links)
    {
        link.bytes = m_places.CountBytes(link.link);
    }
}

std::vector<StampedRecord>
LinkSampler::Sample(double time)
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

} // namespace

std::string
HostRun::DescribeEnd(int status)
{
    if (WIFSIGNALED(status))
    {
        return "was killed by signal " + std::to_string(WTERMSIG(status));
    }
    return WEXITSTATUS(status) == 0 ? ""
                                    : "ended with status " + std::to_string(WEXITSTATUS(status));
}

void
HostRun::Keep(pid_t parent)
{
    DieWith(parent);
    CloseFile(m_control[1]);
    HostMessageWriter writer(m_members.back().writes);
    int code = 0;
    try
    {
        const auto places = m_make();
        DieWith(parent); // a new user namespace has forgotten it
        for (const auto& note : places->GetNotes())
        {
            writer.Send({HostMessageKind::NOTE, 0, note});
        }
        const auto before = places->ReadLinks();
        const int64_t clock = WallClockSimulator::ReadClock();
        std::map<pid_t, const Member*> processes;
        for (std::size_t i = 0; i + 1 < m_members.size(); ++i)
        {
            processes[StartEndpoint(*places, m_members[i], clock)] = &m_members[i];
        }
        const Time setup = GetSetup();
        LinkSampler sampler(m_jobs, m_network, *places);
        while (WaitForEndpoints(processes))
        {
            const double time =
                1e-9 * static_cast<double>(WallClockSimulator::ReadClock() - clock) -
                setup.GetSeconds();
            writer.Send({HostMessageKind::RECORDS, time, PackItems(sampler.Sample(time))});
        }
        auto counts = places->ReadLinks();
        for (std::size_t link = 0; link < counts.size(); ++link)
        {
            counts[link].bytes -= before[link].bytes;
            counts[link].packets -= before[link].packets;
            counts[link].drops -= before[link].drops;
        }
        writer.Send({HostMessageKind::SUMMARY, 0, PackItems(counts)});
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

pid_t
HostRun::StartEndpoint(const HostPlaces& places, Member& member, int64_t clock) const
{
    const pid_t self = getpid();
    const pid_t process = fork();
    if (process < 0)
    {
        throw RunError(std::string("cannot make a process: ") + std::strerror(errno));
    }
    if (process > 0)
    {
        CloseFile(member.writes);
        return process;
    }
    DieWith(self);
    try
    {
        const EndpointTask task = MakeTask(places, member, clock);
        places.Enter(m_network.FindHost(GetName(member)));
        EndpointProcess(task).Run();
    }
    catch (const std::exception& error)
    {
        HostMessageWriter writer(member.writes);
        writer.Send({HostMessageKind::FAILED, 0, GetName(member) + ": " + error.what()});
        writer.Finish();
    }
    _exit(0);
}

EndpointTask
HostRun::MakeTask(const HostPlaces& places, const Member& member, int64_t clock) const
{
    EndpointTask task;
    task.endpoints = &m_endpoints[member.job];
    task.job = member.job;
    task.endpoint = member.endpoint;
    for (const auto& [host, port] : JobEndpoints::ListPorts(m_network))
    {
        const Ipv4Address address = places.GetAddress(m_network.FindHost(host));
        task.addresses.emplace(host, InetSocketAddress(address, port));
    }
    task.binds = places.SharesAddresses();
    task.clock = clock;
    task.setup = GetSetup();
    task.congestion = places.GetCongestionControl();
    task.grpc = ChooseGrpcLibrary(m_grpc, m_transfer, m_jobs[member.job].policy);
    if (task.grpc)
    {
        task.grpc->windows = m_connections;
    }
    task.connections = m_connections;
    task.gloo = m_boards.empty() ? nullptr : m_boards[member.job].get();
    task.workers = m_jobs[member.job].workers;
    task.rank = m_jobs[member.job].plan->GetRank(member.endpoint.index);
    task.messages = member.writes;
    task.control = m_control[0];
    return task;
}

std::string
HostRun::GetName(const Member& member) const
{
    return m_endpoints[member.job].GetName(member.endpoint);
}

Time
HostRun::GetSetup() const
{
    return SETUP + SETUP_OF_EACH * static_cast<int64_t>(m_members.size());
}

bool
HostRun::WaitForEndpoints(std::map<pid_t, const Member*>& processes) const
{
    poll(nullptr, 0, LINK_INTERVAL.GetMilliSeconds());
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
    {
        const auto process = processes.find(ended);
        const std::string end = DescribeEnd(status);
        if (process != processes.end() && !end.empty())
        {
            throw RunError("the process of " + GetName(*process->second) + " " + end);
        }
        processes.erase(ended);
    }
    return !processes.empty();
}

} // namespace ns3::dml
