/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FUSION_MODEL_H
#define DML_FUSION_MODEL_H

#include "dml-collective-moves.h"

#include "ns3/dml-job-step.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// An op that workers compute.
struct FusionOp
{
    std::string name;            //!< of the profile
    JobOpKind kind;              //!< forward, backward or other work
    uint32_t device{0};          //!< of a worker, from 0
    std::vector<double> seconds; //!< by worker
    std::vector<uint32_t> deps;  //!< ops of the same worker that it waits for
    double saving{0};            //!< s, if it is fused with the next op
};

/// A gradient that workers reduce.
struct FusionTensor
{
    std::string name;                //!< of the tensor
    uint64_t bytes{0};               //!< size
    std::vector<uint32_t> producers; //!< ops that it waits for
    double update{0};                //!< s, that applying it takes a worker

    /// @return the producer that runs last; the first op if there is none
    uint32_t GetLastProducer() const
    {
        return producers.empty() ? 0 : *std::max_element(producers.begin(), producers.end());
    }
};

/**
 * @ingroup dml-search
 * @brief A step of an all-reduce job, as a search for what to fuse sees it.
 */
struct FusionModel
{
    uint32_t workers{1};               //!< number of workers
    std::vector<FusionOp> ops;         //!< in the order in which worker 0 runs them
    std::vector<FusionTensor> tensors; //!< in the order in which they are ready on worker 0
};

/**
 * @brief What is fused, and cut. Groups are of neighbours, given by the places behind their last
 * ones.
 */
struct FusionPlan
{
    std::vector<uint32_t> ops;     //!< ends of groups of ops
    std::vector<uint32_t> tensors; //!< ends of groups of tensors
    std::vector<uint32_t> parts;   //!< by group of tensors: in how many it is cut

    /// @param group of ops @return its first op
    uint32_t GetFirstOp(uint32_t group) const
    {
        return group == 0 ? 0 : ops[group - 1];
    }

    /// @param group of tensors @return its first tensor
    uint32_t GetFirstTensor(uint32_t group) const
    {
        return group == 0 ? 0 : tensors[group - 1];
    }
};

/**
 * @param job mean step in which each gradient is reduced alone
 * @param tensors names of tensors, by name of an op of the job; empty: it is no push
 * @return its model, without savings
 */
FusionModel MakeFusionModel(const JobStep& job, const std::vector<std::string>& tensors);

/// @param model of a step @return nothing fused or cut
FusionPlan MakeSeparatePlan(const FusionModel& model);

/**
 * @brief dPRO's coarsened view (Hu et al., MLSys 2022, section 5.3): ops that make no tensor are in
 * a group with the next one that does, and tensors of the same op are in a group.
 * @param model of a step
 * @return the groups
 */
FusionPlan MakeCoarsePlan(const FusionModel& model);

/// @param model of a step @param op before the one that could be fused with it
/// @return whether the two may be one: on the same device, of the same kind
bool CanFuse(const FusionModel& model, uint32_t op);

/**
 * @brief What ops take as one: savings of neighbours add up, but more ops take no less than two of
 * them do, and none less than nothing.
 * @param model of a step
 * @param first op of the group
 * @param behind the last one
 * @param seconds what it returns for a FusionOp is what that takes alone
 * @return seconds
 */
template <typename Seconds>
double
GetFusedSeconds(const FusionModel& model, uint32_t first, uint32_t behind, const Seconds& seconds)
{
    double sum = 0;
    double least = 0;
    for (uint32_t op = first; op < behind; ++op)
    {
        const double own = seconds(model.ops[op]);
        sum += own;
        if (op + 1 < behind)
        {
            const double saving = model.ops[op].saving;
            sum -= saving;
            least = std::max(least, own + seconds(model.ops[op + 1]) - saving);
        }
    }
    return std::max(least, sum);
}

/// @param op any @return what it takes, mean over the workers, s
double GetMeanSeconds(const FusionOp& op);

/// @param model of a step @param plan for it @param group of tensors @return bytes of the group
uint64_t GetGroupBytes(const FusionModel& model, const FusionPlan& plan, uint32_t group);

/**
 * @brief Say what fusing each op with the next one saves: of a launch at most what the shorter one
 * takes, which then had no whole launch in it.
 * @param costs a time, such as "5us": a launch, which each fusion saves; or the path of a CSV file
 *        with the columns first, second and seconds: what two ops take as one
 * @param scale of the job, by which the times of @p model were multiplied, and these are
 * @param model to be filled
 * @return a sentence about pairs that cannot be fused, or nothing
 * @throws InputError "file:line:column: ..." if it is neither
 */
std::string SetSavings(const std::string& costs, double scale, FusionModel& model);

/// A step with a plan as a graph.
struct FusionGraph
{
    GlobalGraph graph;              //!< to be replayed
    std::vector<double> seconds;    //!< by op of it
    std::vector<GlobalOp> computed; //!< by group of ops: of worker 0
    std::vector<GlobalOp> entries;  //!< by group of tensors: join of all that it waits for
    std::vector<GlobalOp> reduced;  //!< by group of tensors: join of its results
};

/**
 * @brief The graph of one step of several workers. Collectives run one after the other.
 * @param model of a step
 * @param plan for it
 * @param workers that are in the graph: all, or one that stands for all
 * @param moves that collectives are, with all workers in the graph
 * @param sync by group of tensors: seconds that reducing it takes, with one worker in the graph
 * @return the graph
 */
FusionGraph MakeFusionGraph(const FusionModel& model,
                            const FusionPlan& plan,
                            uint32_t workers,
                            const CollectiveMoves& moves,
                            const std::vector<double>& sync);

} // namespace ns3::dml

#endif /* DML_FUSION_MODEL_H */
