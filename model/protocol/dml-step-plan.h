/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_PLAN_H
#define DML_STEP_PLAN_H

#include "dml-negotiation.h"
#include "dml-peer.h"

#include "ns3/dml-collective-schedule.h"
#include "ns3/dml-placement.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What receiving a tensor costs: alpha * bytes + beta seconds.
struct ParseCost
{
    double alpha{0}; //!< seconds per byte
    double beta{0};  //!< seconds per tensor

    /// @return true if it takes no time at all
    bool IsFree() const
    {
        return alpha == 0 && beta == 0;
    }
};

/**
 * @ingroup dml-protocol
 * @brief What receiving a tensor costs after its last byte: alpha * bytes + beta seconds.
 *
 * Source: Li et al., ICPE 2020, section 3.2.1; that servers may need another time than workers is
 * ours.
 */
struct ParseOverhead
{
    double alpha{0};                   //!< seconds per byte
    double beta{0};                    //!< seconds per tensor
    bool parallel{false};              //!< true: parsing has a resource of its own
    std::optional<ParseCost> server{}; //!< of servers; nothing: as of workers

    /// @param kind PULL or PUSH @return what its receiver spends
    ParseCost GetCost(OpKind kind) const
    {
        return kind == OpKind::PUSH && server ? *server : ParseCost{alpha, beta};
    }

    /// @return true if parsing takes no time at all
    bool IsFree() const
    {
        return GetCost(OpKind::PULL).IsFree() && GetCost(OpKind::PUSH).IsFree();
    }
};

/// How a ready op is set going.
enum class Dispatch : uint8_t
{
    ELSEWHERE,  //!< another endpoint's business
    DEVICE,     //!< queue on a compute resource
    SEND,       //!< queue on a channel, in the order of the transfer policy
    RECEIVE,    //!< ask the sender for it; done when all of it has arrived
    COLLECTIVE, //!< queue where the worker's collectives queue; done when its part of it is
    JOIN,       //!< nothing: it is done when it is ready
};

/// A resource of a step. One queue for each (worker, resource).
struct PlannedResource
{
    ResourceKind kind{ResourceKind::CHANNEL}; //!< what it is
    Peer at;                                  //!< whose; of a channel: its sender
    Peer to;                                  //!< receiver of a channel
    uint32_t index{0};                        //!< number of a worker's device
    uint32_t slots{1};                        //!< chunks that run at the same time

    /// @return whether the worker sends on it
    bool IsSending() const
    {
        return kind == ResourceKind::CHANNEL && at == SELF;
    }

    /// @return whether the worker receives on it
    bool IsReceiving() const
    {
        return kind == ResourceKind::CHANNEL && to == SELF;
    }

    /// @return whether a server computes on it
    bool IsServerDevice() const
    {
        return kind == ResourceKind::DEVICE && at.kind == Peer::Kind::SERVER;
    }

    /// @return the other end of a channel of the worker
    const Peer& GetPeer() const
    {
        return at == SELF ? to : at;
    }

    /// @param worker index of the worker @param workers number of workers @return what it is
    Resource Resolve(uint32_t worker, uint32_t workers) const
    {
        return {kind, at.Resolve(worker, workers), to.Resolve(worker, workers), index};
    }
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
    bool own{false}; //!< is done where the plan runs, not on a server, and waits for no collective
    bool computes{
        false}; //!< runs on a device of the worker and parses nothing: its time goes by samples
    uint32_t resource{0}; //!< index into StepPlan::resources
    /// Of a transfer whose other end is another executor's op: that op in its plan. A SEND is done
    /// when the last byte has been served then, and waits for the RECEIVE's request. Of a
    /// COLLECTIVE: its place in StepPlan::collectives.
    OpIndex counterpart{NO_INDEX};
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
 * @brief An op of which all workers do a part: transfers that are not listed one by one.
 *
 * A move of a participant's schedule is a transfer of the plan, whose number is above those of the
 * ops: see StepPlan::GetTransfer().
 */
struct PlannedCollective
{
    OpIndex op{0};                                                  //!< of the plan
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE}; //!< what workers do together
    CollectiveScope scope{CollectiveScope::ALL};                    //!< which of them
    std::shared_ptr<const CollectiveSchedule> schedule;             //!< what the ranks do
    std::vector<uint32_t> sendChannels;    //!< resources, by channel of the schedule
    std::vector<uint32_t> receiveChannels; //!< likewise
    /// Added to PlannedTransfer::part, so that no two messages of a step for the same op of the
    /// profile have the same.
    uint32_t firstPart{0};
};

/// Gradients that are reduced as one buffer, as places in StepPlan::collectives. The first one's
/// schedule is run.
using Bucket = std::vector<uint32_t>;

/// What a transfer is, listed or not.
struct PlannedTransfer
{
    bool sends{false};             //!< or receives
    uint32_t resource{0};          //!< its channel
    uint64_t bytes{0};             //!< size
    OpIndex counterpart{NO_INDEX}; //!< number at the other end; NO_INDEX: the same op
    OpIndex op{0};                 //!< listed op that it is, or is a part of
    uint32_t part{0};              //!< of moves: number of the sender's, and one more
};

/**
 * @ingroup dml-protocol
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
    std::vector<PlannedResource> resources; //!< channels from servers, to servers, servers,
                                            //!< devices, parsers
    std::vector<double> seconds;            //!< [sample * ops.size() + op]; 0 for transfers
    std::vector<std::string> names;         //!< of the ops, for messages
    std::vector<uint32_t> ranks;   //!< by op: place of a transfer in an order; empty: there is none
    std::vector<double> generated; //!< by op: TransferInfo::generated of pushes; empty: not known
    uint32_t servers{1};           //!< number of parameter servers
    uint32_t devices{1};           //!< number of devices of a worker
    uint32_t localOps{0};          //!< ops that are the executor's business
    bool overlaps{false};          //!< a step may begin before the previous one has ended
    std::vector<PlannedCollective> collectives; //!< in the order in which they start
    uint32_t moves{0};                          //!< most moves that a worker has in one of these
    uint32_t reducer{0};                        //!< resource on which what is received is added up
    double reduction{0};                        //!< seconds per byte that this takes
    uint32_t concurrent{1};  //!< collectives under way at the same time in each queue of a worker
    uint32_t aggregators{0}; //!< number of aggregators that take part in collectives
    /// What each aggregator does in a step: its part of the collectives, under the same numbers;
    /// null: there is none.
    std::shared_ptr<const StepPlan> aggregation;
    /// How workers agree which collectives start; none: in their order.
    std::optional<Negotiation> negotiation;

    /// @return seconds that @p op takes when sample @p sample is replayed
    double GetSeconds(uint32_t sample, OpIndex op) const
    {
        return seconds[sample * ops.size() + op];
    }

    /// @return one more than the highest number of a transfer, listed or not
    uint32_t CountTransferNumbers() const
    {
        return ops.size() + collectives.size() * moves;
    }

    /// @param transfer number, listed or not @return whether it is a move of a collective
    bool IsMove(OpIndex transfer) const
    {
        return transfer >= ops.size();
    }

    /// @param collective place in collectives @param move of a worker's schedule
    /// @return its number as a transfer
    OpIndex GetMoveNumber(uint32_t collective, uint32_t move) const
    {
        return ops.size() + collective * moves + move;
    }

    /// @param transfer that IsMove() @return place of its collective
    uint32_t GetCollective(OpIndex transfer) const
    {
        return (transfer - ops.size()) / moves;
    }

    /// @param transfer that IsMove() @return number in its collective
    uint32_t GetMove(OpIndex transfer) const
    {
        return (transfer - ops.size()) % moves;
    }

    /// @param transfer that IsMove() @param worker index @return how many the worker has in that
    /// collective
    uint32_t CountMoves(OpIndex transfer, uint32_t worker) const
    {
        return collectives[GetCollective(transfer)].schedule->Get(worker).moves.size();
    }

    /**
     * @param transfer number, listed or not
     * @param worker index
     * @param buffer bytes of the buffer of which a move is a part; none: those of its op
     * @return what it is to the worker
     */
    PlannedTransfer GetTransfer(OpIndex transfer,
                                uint32_t worker,
                                std::optional<uint64_t> buffer = {}) const;

    /// @param transfer number, listed or not @param worker index @return what its sender calls it
    std::string GetTransferName(OpIndex transfer, uint32_t worker) const;

    /// @param name as GetTransferName() gives it @return number at the sender; NO_INDEX: none has
    /// it
    OpIndex FindSent(const std::string& name) const;

    /// @param worker index @return its rank in collectives
    uint32_t GetRank(uint32_t worker) const
    {
        return collectives.empty() ? worker : collectives.front().schedule->GetRank(worker);
    }

    /// @param worker index @return bytes that the worker, and servers for it, send in a step
    uint64_t CountSentBytes(uint32_t worker = 0) const;

    /// @param worker index @return how many transfers these are
    uint64_t CountSent(uint32_t worker = 0) const;

    /// @return number of channels among the resources
    uint32_t CountChannels() const;

    /// @return channels on which a worker and its servers send, as places in resources: those of a
    /// peer together, what comes from it first
    std::vector<uint32_t> ListSentChannels() const;

    /// @param worker number of a participant @param workers number of workers @return with whom it
    /// has channels: servers, then workers, then aggregators, each by index
    std::vector<Endpoint> ListPeers(uint32_t worker, uint32_t workers) const;
};

/**
 * @brief Prepare a whole step: what a worker does, and what the servers do for it.
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
 * @brief Fill the seconds of a plan whose ops are known.
 * @param plan made of the profile
 * @param profile a valid profile
 * @param overhead of ops that parse
 */
void SetPlanSeconds(StepPlan& plan,
                    const Profile& profile,
                    const ParseOverhead& overhead = ParseOverhead());

/**
 * @brief The part of a step that one endpoint runs.
 *
 * A transfer appears at both ends: at its sender it waits also for the receiver's request, at its
 * receiver it is done when all of it has arrived.
 * @param whole plan of the whole step
 * @param site the worker itself (SELF), or one of its servers
 * @return its plan, with the same op numbers
 * @throws InputError if an op waits for another endpoint's op and no transfer carries that
 */
StepPlan RestrictStepPlan(const StepPlan& whole, const Peer& site);

} // namespace ns3::dml

#endif /* DML_STEP_PLAN_H */
