/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_PROFILE_H
#define DML_JOB_PROFILE_H

#include "ns3/dml-job-step.h"
#include "ns3/dml-profile.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What of a job's graph a scenario can say.
struct JobProfile
{
    /// One worker's step. Sample w has the mean times of worker w; a collective is a tensor.
    Profile profile;
    /// Parameter server of each tensor; empty if a tensor has parts on several.
    std::vector<uint32_t> servers;
    bool collective{false}; //!< gradients are all-reduced
    /// Parameters wait for the gradients of several workers, as in bulk-synchronous training.
    bool rounds{false};
    double parseSecondsPerByte{0}; //!< mean time of parsing what is sent
    /// Parsing does not take the time of a device that computes.
    bool parsesInParallel{false};
};

/**
 * @ingroup dml-why
 * @brief Make a profile of which the engines run the same graph as a job's replay.
 *
 * What is no op of a profile (joins, parsing, a transfer's wire) only passes dependencies on.
 * Gradients and parameters are of one tensor if an update lies between them, or else if their ops
 * have the same name but for its first word ("push/conv1", "pull/conv1").
 * @param job one step
 * @return its profile; latencies of the job are not in it
 * @throws InputError if a profile cannot say it
 */
JobProfile MakeJobProfile(const JobStep& job);

/**
 * @ingroup dml-why
 * @brief An op of a profile: ops of a job of one kind and name, of all workers.
 */
struct JobPart
{
    JobOpKind kind;                               //!< what it does
    std::string name;                             //!< of the ops
    std::map<uint32_t, std::vector<GlobalOp>> of; //!< by worker: its chunks and their way
    std::set<uint32_t> waits;                     //!< parts that it waits for in the same step
    std::set<uint32_t> before;                    //!< parts that it waits for in the step before
    TensorIndex tensor{NO_INDEX};                 //!< tensor that is sent or updated
};

/// @param kind of an op of a job @return kind of an op of a profile that does the same
OpKind GetProfileKind(JobOpKind kind);

/// @param kind of an op of a job @return whether it takes a gradient away from its worker
bool SendsGradient(JobOpKind kind);

/// @param name of an op @return it without its first word
std::string GetObjectName(const std::string& name);

/**
 * @param job one step
 * @param[out] made gets all that the graph tells but the profile, of which it gets the number of
 * tensors
 * @return the parts of the job in its order, with what each waits for and the tensor that it sends
 * or updates
 */
std::vector<JobPart> FindJobParts(const JobStep& job, JobProfile& made);

} // namespace ns3::dml

#endif /* DML_JOB_PROFILE_H */
