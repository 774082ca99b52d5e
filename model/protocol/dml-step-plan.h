/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_PLAN_H
#define DML_STEP_PLAN_H

#include "ns3/dml-placement.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"

#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-execution
 * @brief What receiving a tensor costs after its last byte: alpha * bytes + beta seconds.
 *
 * Source: Li et al., ICPE 2020, section 3.2.1.
 */
struct ParseOverhead
{
    double alpha{0};      //!< seconds per byte
    double beta{0};       //!< seconds per tensor
    bool parallel{false}; //!< true: parsing has a resource of its own instead of the receiver's

    /// @return true if parsing takes no time at all
    bool IsFree() const
    {
        return alpha == 0 && beta == 0;
    }
};

/**
 * @ingroup dml-execution
 * @brief Which part of a step runs where.
 */
struct Site
{
    /// Kind of site.
    enum class Kind
    {
        CLUSTER, //!< the whole step: worker, links and servers (fair-share engine)
        WORKER,  //!< what the worker's node does (packet engine)
        SERVER,  //!< what one parameter server's node does for one worker (packet engine)
    };

    Kind kind{Kind::CLUSTER}; //!< kind
    uint32_t server{0};       //!< index of the server, for SERVER
};

/// How a ready op is set going.
enum class Dispatch : uint8_t
{
    ELSEWHERE, //!< another site's business
    DEVICE,    //!< queue on a compute resource
    SEND,      //!< queue on a connection, in the order of the transfer policy
    RECEIVE,   //!< ask the sender for it; done when all of it has arrived
};

/// A resource of a step. One queue for each (worker, resource).
struct PlannedResource
{
    ResourceKind kind; //!< what it is
    uint32_t index;    //!< which one of that kind
    uint32_t slots;    //!< chunks that run at the same time
};

/// One op as an executor sees it. What runs need in every step comes first, so that it is together
/// in memory.
struct PlannedOp
{
    Dispatch dispatch{Dispatch::ELSEWHERE}; //!< how it is set going
    bool parse{false};                      //!< true: the parsing that follows transfer profileOp
    bool begins{false};                     //!< waits for the step to begin
    bool gates{false}; //!< the worker's next step begins when all such ops of a step are done
    bool joint{false}; //!< an update that is done once for all workers, when it is ready for all
    bool own{false};   //!< is done at the plan's site, and not on a server
    bool computes{
        false}; //!< runs on a device of the worker and parses nothing: its time goes by samples
    uint32_t resource{0};         //!< index into StepPlan::resources
    uint64_t bytes{0};            //!< size of a transfer
    uint32_t firstDependent{0};   //!< range in StepPlan::dependents
    uint32_t endDependent{0};     //!< end of that range
    uint32_t firstNext{0};        //!< range in StepPlan::nextDependents
    uint32_t endNext{0};          //!< end of that range
    uint32_t dependencies{0};     //!< number of things of the same step to wait for
    uint32_t nextDependencies{0}; //!< number of ops of the previous step to wait for
    OpIndex profileOp{0};         //!< op of the profile it comes from
    TensorIndex tensor{NO_INDEX}; //!< tensor, or NO_INDEX

    /// @return number of things to wait for in every step but the first
    uint32_t GetWaits() const
    {
        return dependencies + nextDependencies + (begins ? 1 : 0);
    }
};

/**
 * @ingroup dml-execution
 * @brief A training step made ready to run: ops, resources, dependencies in flat arrays.
 *
 * Made from a profile once, then shared by all executors. Op numbers are the listing order, the
 * parsing of a transfer directly behind the transfer; they are the same in all sites' plans.
 */
struct StepPlan
{
    std::vector<PlannedOp> ops;             //!< in listing order
    std::vector<OpIndex> dependents;        //!< ops that wait for an op, in listing order
    std::vector<OpIndex> nextDependents;    //!< ops of the next step that wait for an op, likewise
    std::vector<OpIndex> roots;             //!< local ops that wait for the step to begin, likewise
    std::vector<PlannedResource> resources; //!< downlinks, uplinks, servers, devices, parsers
    std::vector<double> seconds;            //!< [sample * ops.size() + op]; 0 for transfers
    std::vector<std::string> names;         //!< of the ops, for messages
    std::vector<uint32_t> ranks;   //!< by op: place of a transfer in an order; empty: there is none
    std::vector<double> generated; //!< by op: TransferInfo::generated of pushes; empty: not known
    uint32_t servers{1};           //!< number of parameter servers
    uint32_t devices{1};           //!< number of devices of a worker
    uint32_t localOps{0};          //!< ops that are this site's business
    bool overlaps{false};          //!< a step may begin before the previous one has ended
    Site::Kind site{Site::Kind::CLUSTER}; //!< whose plan it is

    /// @return seconds that @p op takes when sample @p sample is replayed
    double GetSeconds(uint32_t sample, OpIndex op) const
    {
        return seconds[sample * ops.size() + op];
    }

    /// @return index in resources of the downlink of @p server
    uint32_t GetDownlink(uint32_t server) const
    {
        return server;
    }

    /// @return index in resources of the uplink of @p server
    uint32_t GetUplink(uint32_t server) const
    {
        return servers + server;
    }

    /// @return parameter server of transfer or update @p op
    uint32_t GetServer(OpIndex op) const;
};

/**
 * @brief Prepare a whole step (site CLUSTER).
 * @param profile a valid profile
 * @param placement server of each tensor
 * @param servers number of parameter servers
 * @param overhead parsing; if it is not free, each transfer gets a parse op, and what waited for
 *        the transfer waits for that
 * @return the plan
 */
StepPlan MakeStepPlan(const Profile& profile,
                      const Placement& placement,
                      uint32_t servers,
                      const ParseOverhead& overhead);

/**
 * @brief The part of a step that one site runs.
 *
 * A transfer appears at both ends: at its sender it waits also for the receiver's request, at its
 * receiver it is done when all of it has arrived.
 * @param whole plan of the whole step
 * @param site the site
 * @return its plan, with the same op numbers
 * @throws InputError if an op waits for another site's op and no transfer carries that
 */
StepPlan RestrictStepPlan(const StepPlan& whole, Site site);

/// @return whether compute resource @p resource is at @p site (WORKER or SERVER)
bool IsAtSite(const PlannedResource& resource, const Site& site);

} // namespace dml
} // namespace ns3

#endif /* DML_STEP_PLAN_H */
