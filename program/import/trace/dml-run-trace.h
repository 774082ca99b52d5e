/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_TRACE_H
#define DML_RUN_TRACE_H

#include "dml-trace-job.h"

#include "ns3/dml-endpoint.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A step of a worker. Times in seconds from the start of the run.
struct TracedStep
{
    uint32_t worker{0}; //!< whose
    uint32_t step{0};   //!< number
    double start{0};    //!< it began
    double end{0};      //!< it ended
};

/// What ran on a resource: an op, a chunk of a transfer, or parsing.
struct TracedOp
{
    uint32_t worker{0}; //!< worker of the step
    uint32_t step{0};   //!< number
    OpIndex op{0};      //!< of the job
    bool parse{false};  //!< the parsing of transfer `op`
    uint32_t lane{0};   //!< on which it ran: place in RunTrace::lanes
    uint64_t bytes{0};  //!< of a chunk
    double start{0};    //!< it began
    double end{0};      //!< it ended
};

/// The arrival of a transfer's last byte.
struct TracedArrival
{
    uint32_t worker{0}; //!< worker of the step
    uint32_t step{0};   //!< number
    OpIndex op{0};      //!< of the job
    uint32_t lane{0};   //!< place in RunTrace::lanes
    double time{0};     //!< when
    double ready{0};    //!< when it could have been sent
};

/// A row of a trace: it shows one thing at a time.
struct TracedLane
{
    Endpoint endpoint; //!< whose
    std::string title; //!< as the trace names it, as "downlink PS 0"
    uint32_t pid{0};   //!< process number in the file
    uint32_t tid{0};   //!< thread number in the file
};

/**
 * @ingroup dml-import
 * @brief What a trace of ours has of one run. In the order of the file.
 */
struct RunTrace
{
    std::string engine;                  //!< engine that ran it
    uint32_t workers{0};                 //!< number of workers
    uint32_t servers{0};                 //!< number of parameter servers
    bool waits{false};                   //!< a worker may wait for others at the end of a step
    std::vector<TracedLane> lanes;       //!< rows
    std::vector<TracedStep> steps;       //!< steps that ended
    std::vector<TracedOp> ops;           //!< ops, chunks and parsing
    std::vector<TracedArrival> arrivals; //!< of transfers, and of the messages of collectives
};

/// All runs of a file.
struct RunTraces
{
    TraceJob job;               //!< the job
    std::vector<RunTrace> runs; //!< at least one
    bool truncated{false};      //!< the end of the file is missing
};

/**
 * @brief Read all runs of a trace of ours, see TRACE_SCHEMA, as a stream.
 * @param file path, plain or gzipped; its end may be missing
 * @return what it has
 * @throws InputError naming file, line, column and JSON path if it is no such trace
 */
RunTraces ReadRunTraces(const std::string& file);

} // namespace ns3::dml

#endif /* DML_RUN_TRACE_H */
