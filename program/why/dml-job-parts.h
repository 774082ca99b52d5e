/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_PARTS_H
#define DML_JOB_PARTS_H

#include "ns3/dml-job-step.h"
#include "ns3/dml-profile.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

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

/**
 * @ingroup dml-why
 * @brief The parts of a job, from which a profile of it is made.
 */
struct JobParts
{
    std::vector<JobPart> parts;    //!< in the order of the job
    uint32_t tensors{0};           //!< number of tensors
    std::vector<uint32_t> servers; //!< by tensor: the server that has it; empty: none has it whole
    bool collective{false};        //!< gradients are reduced, not sent to servers
    bool rounds{false};            //!< workers wait for one another's gradients
};

/// @param kind of an op of a job @return kind of an op of a profile that does the same
OpKind GetProfileKind(JobOpKind kind);

/// @param kind of an op of a job @return whether it takes a gradient away from its worker
bool SendsGradient(JobOpKind kind);

/// @param name of an op @return it without its first word
std::string GetObjectName(const std::string& name);

/**
 * @param job one step
 * @return its parts, with what each waits for and the tensor that it sends or updates
 */
JobParts FindJobParts(const JobStep& job);

} // namespace ns3::dml

#endif /* DML_JOB_PARTS_H */
