/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WHAT_IF_H
#define DML_WHAT_IF_H

#include "dml-step-path.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A set of ops that could be made faster together.
struct WhatIf
{
    /// What the set is.
    enum class Scope : uint8_t
    {
        COMPUTE,     //!< computation of all workers
        NETWORK,     //!< everything that is sent
        PARSE,       //!< all parsing
        UPDATE,      //!< all updates
        WORKER,      //!< computation of one worker
        DEVICE_ROLE, //!< all devices with one name, as "downlink PS 0" of every worker
        OP,          //!< one op of all workers and steps
    };

    Scope scope{Scope::COMPUTE}; //!< what it is
    std::string name;            //!< for people, "all that is sent"
    std::vector<GlobalOp> ops;   //!< of the graph
    double gain{0};              //!< part of the mean step time that would be saved, below 1
};

/**
 * @brief How much shorter steps would get if ops took less time, with the order of ops on every
 * device as it was: what has slack gains nothing, and what comes after what is shortened may become
 * critical. Source: slack of an activity in the critical path method (Kelley and Walker, EJCC
 * 1959).
 * @param job that ran
 * @param paths of the steps that count
 * @param part of their time that ops would save, above 0, at most 1
 * @return sets of ops, the one that gains most first; those that gain nothing are left out
 */
std::vector<WhatIf> FindWhatIfs(const RecordedJob& job,
                                const std::vector<StepPath>& paths,
                                double part);

} // namespace ns3::dml

#endif /* DML_WHAT_IF_H */
