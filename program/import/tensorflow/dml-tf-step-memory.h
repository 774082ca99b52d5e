/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_STEP_MEMORY_H
#define DML_TF_STEP_MEMORY_H

#include "dml-tf-step.h"

#include "ns3/dml-op.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// An op reads what another one made.
struct TfRead
{
    uint32_t reader; //!< index into TfStep::ops
    uint32_t maker;  //!< the same
    uint32_t port;   //!< number of the output
};

/// An op that does some work, and what for.
struct TfWork
{
    uint32_t op;   //!< index into TfStep::ops
    OpKind kind;   //!< forward, backward, compute
    bool isPushed; //!< it makes a gradient for a parameter server
};

/**
 * @ingroup dml-import
 * @brief What ops hold, from the outputs and temporary memory that RunMetadata tells.
 *
 * An output of a forward op that a backward op reads is kept for it; outputs in the same buffer, as
 * of ops that work in place, count once, at the first op. Workspace is an op's temporary memory,
 * its outputs that are neither kept nor a gradient to be pushed, and what it reads of that kind.
 * What waits meanwhile for an op that runs later is not in it.
 * @param step all records
 * @param works ops of the worker, in the order in which they start
 * @param reads between these
 * @return what each op of @p works holds; all zero where the trace does not tell
 */
std::vector<OpMemory> FindTfMemory(const TfStep& step,
                                   const std::vector<TfWork>& works,
                                   const std::vector<TfRead>& reads);

} // namespace ns3::dml

#endif /* DML_TF_STEP_MEMORY_H */
