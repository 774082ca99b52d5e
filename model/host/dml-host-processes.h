/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the processes of a run of the host engine share, and what they do.

#ifndef DML_HOST_PROCESSES_H
#define DML_HOST_PROCESSES_H

#include "dml-host-run.h"
#include "dml-shared-board.h"

#include "ns3/dml-job-endpoints.h"
#include "ns3/dml-open-file.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ns3::dml
{

/// An endpoint of a run, the pipe from its process, and what has come from there.
struct HostMember
{
    uint32_t job{0};          //!< number of its job
    Endpoint endpoint;        //!< role and index
    OpenFile messages;        //!< what its process says, until it has ended
    OpenFile writes;          //!< the other end, until there is a process
    HostMessageReader reader; //!< of the messages
    std::string error;        //!< why it cannot go on
    double failed{0};         //!< when it said so
};

/// What all processes of a run know: each has a copy of what there was when it was forked.
struct HostProcesses
{
    const HostRunSpec& spec;                          //!< what to do
    std::vector<JobEndpoints> endpoints;              //!< of the jobs
    std::vector<HostMember> members;                  //!< all endpoints; the last is the keeper
    std::vector<std::unique_ptr<SharedBoard>> boards; //!< by job, of Gloo; empty: without Gloo
    OpenFile control[2]{};                            //!< pipe whose end is the end of the run
    std::unique_ptr<HostPlaces> places{};             //!< made by the keeper
    int64_t clock{0}; //!< of WallClockSimulator, when all processes begin
    Time setup{};     //!< from then to the start of the run

    /// @param member an endpoint @return name of its host
    std::string GetName(const HostMember& member) const
    {
        return endpoints[member.job].GetName(member.endpoint);
    }
};

/// @param status of a process, of waitpid(2) @return how it ended, if not well; else empty
std::string DescribeEnd(int status);

/// @brief Be the keeper: make the places and the endpoints' processes, and wait for these.
/// @param run of this process, a child @param parent its parent
[[noreturn]] void KeepHostRun(HostProcesses& run, pid_t parent);

/**
 * @brief Be a worker or server, until the control pipe ends: the applications of the packet engine
 * on the kernel's TCP, in real time. What goes wrong while it runs is a message.
 * @param run of this process, a child of the keeper
 * @param member which one
 * @throws RunError if there is no such place
 */
void RunEndpoint(const HostProcesses& run, const HostMember& member);

} // namespace ns3::dml

#endif /* DML_HOST_PROCESSES_H */
