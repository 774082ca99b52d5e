/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOROVOD_TIMELINE_H
#define DML_HOROVOD_TIMELINE_H

#include "ns3/dml-trace-faults.h"
#include "ns3/dml-trace-input.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Tensors that Horovod reduced as one: a fusion buffer, or a tensor of its own.
struct HorovodReduction
{
    std::vector<uint32_t> tensors; //!< indices in HorovodTimeline::names, in the file's order
    /// ns, when the worker that writes the file had the last of them, or, of an answer from
    /// Horovod's cache, when any worker had; 0 if the file begins later
    int64_t ready{0};
    int64_t start{0};    //!< ns, when the exchange itself began
    int64_t end{0};      //!< ns, when it ended; 0 if the file ends before
    bool damaged{false}; //!< whether a record that was left out tells something of it
    std::string backend; //!< library that exchanged, as "nccl", or empty
};

/**
 * @ingroup dml-import
 * @brief What an importer needs of a timeline of Horovod (HOROVOD_TIMELINE).
 *
 * The file has a process for each tensor, whose events nest: NEGOTIATE_ALLREDUCE, during which
 * workers report that they have the tensor, then ALLREDUCE with what is done, as
 * MEMCPY_IN_FUSION_BUFFER and NCCL_ALLREDUCE. Of tensors that share a buffer all ALLREDUCE begin
 * before any of their parts; what another thread writes of earlier buffers may come between.
 * Horovod asks its cache after the first step: then no worker reports, and NEGOTIATE_ALLREDUCE
 * begins with the first that has the tensor. A timeline that was started during training begins
 * with the ends of events whose beginnings it lacks. (horovod/common/timeline.cc, operations.cc,
 * controller.cc and ops/ of 2026-06.)
 */
struct HorovodTimeline
{
    std::vector<std::string> names;             //!< of tensors that were reduced
    std::vector<std::optional<uint64_t>> bytes; //!< of these, if the file tells
    std::vector<HorovodReduction> reductions;   //!< in the order in which they began
    uint32_t workers{0};   //!< workers that reported tensors, or 0 if the file hides it
    uint64_t bytesRead{0}; //!< size of the file, uncompressed
    TraceFaults faults;    //!< records that were left out
};

/**
 * @param input the file; that it ends within an event is accepted, as of a job that was ended
 * @return the timeline, without values that cannot be right, as of times, names and sizes
 * @throws InputError at the place of what is wrong: no JSON, an event of no tensor, no tensor's
 * name, or if more records than not have such values
 */
HorovodTimeline ReadHorovodTimeline(TraceInput& input);

} // namespace ns3::dml

#endif /* DML_HOROVOD_TIMELINE_H */
