/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_GRAPH_H
#define DML_JOB_GRAPH_H

#include "dml-global-graph.h"

#include "ns3/dml-op.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What an op of a job's graph does. Kinds are numbered as they are listed.
enum class JobOpKind : uint8_t
{
    JOIN,       //!< nothing: it joins others
    FORWARD,    //!< forward propagation
    BACKWARD,   //!< back-propagation
    COMPUTE,    //!< other work on a worker's device
    PULL,       //!< sends a parameter to a worker
    PUSH,       //!< sends a gradient to a server
    COLLECTIVE, //!< reduces gradients together with other workers
    MOVE,       //!< sends a part of these to another worker
    PARSE,      //!< parses what was received
    UPDATE,     //!< applies a gradient
};

/// @return "join", "forward", ...
std::string ToString(JobOpKind kind);
/// @return names of all kinds, in their order
const std::vector<std::string>& ListJobOpKinds();
/// @param name one of ListJobOpKinds() @return the kind
JobOpKind JobOpKindFromString(const std::string& name);
/// @param kind of an op of a profile @return what such an op is in the graph of a job
JobOpKind GetJobOpKind(OpKind kind);

/// @return whether a device of a worker does it
inline bool
IsComputed(JobOpKind kind)
{
    return kind == JobOpKind::FORWARD || kind == JobOpKind::BACKWARD || kind == JobOpKind::COMPUTE;
}

/// @return whether it is sent to other endpoints
inline bool
IsSent(JobOpKind kind)
{
    return kind == JobOpKind::PULL || kind == JobOpKind::PUSH || kind == JobOpKind::COLLECTIVE ||
           kind == JobOpKind::MOVE;
}

/// An op of one step of one worker. What several workers share belongs to one of them.
struct JobOp
{
    JobOpKind kind{JobOpKind::JOIN}; //!< what it does
    uint32_t name{0};                //!< place in JobGraph::names
    uint32_t worker{0};              //!< worker of the step
    uint32_t step{0};                //!< number of the step
    uint64_t bytes{0};               //!< bytes that it sends
    /// Place in JobGraph::devices of what it ran on; NO_DEVICE: a join.
    uint32_t device{NO_DEVICE};

    static constexpr uint32_t NO_DEVICE = UINT32_MAX; //!< no place in JobGraph::devices
};

/// End of the name of a device that is what a channel's transfers go through once they have left.
constexpr const char* WIRE_DEVICE = ", wire";

/// @param device name, as "worker 0, downlink PS 0 #2" @return what it is to its worker or server,
/// "downlink PS 0", whichever of several it is
std::string GetDeviceRole(const std::string& device);

/// @param device name @return whether it is a WIRE_DEVICE
bool IsWire(const std::string& device);

/**
 * @ingroup dml-replay
 * @brief A global data-flow graph, and what its ops and devices stand for.
 */
struct JobGraph
{
    std::vector<std::string> names;   //!< of ops, as the profile has them
    std::vector<std::string> devices; //!< names, as "worker 0, downlink PS 0"
    std::vector<JobOp> ops;           //!< by op
    GlobalGraph graph;                //!< the graph
};

} // namespace ns3::dml

#endif /* DML_JOB_GRAPH_H */
