/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WORKER_TRACE_H
#define DML_WORKER_TRACE_H

#include "dml-trace-job.h"

#include "ns3/dml-json-record.h"
#include "ns3/dml-op.h"
#include "ns3/dml-recorded-transfer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What a trace of ours says of one op in one step. Times in ns.
struct TraceOp
{
    static constexpr int64_t UNKNOWN = RecordedTransfer::UNKNOWN; //!< a time that it does not say

    int64_t start{UNKNOWN};    //!< of its first chunk, or of the op
    int64_t end{UNKNOWN};      //!< of its last chunk, or of the op
    int64_t length{0};         //!< of the op; not of transfers
    int64_t ready{UNKNOWN};    //!< of a transfer: its sender could begin
    int64_t lastByte{UNKNOWN}; //!< of a transfer: its receiver had all of it
    int64_t parsed{UNKNOWN};   //!< of a transfer: it was parsed
    uint32_t server{0};        //!< of a transfer that has arrived: number of the server

    /// @return when the step could go on behind it, or UNKNOWN
    int64_t GetDone() const
    {
        return std::max({end, lastByte, parsed});
    }
};

/// One step of one worker. Times in ns.
struct TraceStep
{
    std::string file;               //!< name of the file
    std::string worker;             //!< as the file names it, "packet worker 0"
    uint32_t step{0};               //!< number in the run
    uint32_t sample{0};             //!< number of the sample that it replayed
    int64_t start{0};               //!< when it began
    int64_t end{0};                 //!< when it ended
    std::map<OpIndex, TraceOp> ops; //!< ops of the trace

    /// @param op index; @return what the trace says of it, or null
    const TraceOp* Find(OpIndex op) const
    {
        const auto found = ops.find(op);
        return found != ops.end() ? &found->second : nullptr;
    }
};

/// @param record an event; @param key of a time; @return it, ns
/// @throws InputError if it is none, negative, or too large to be added to another one
int64_t GetTraceTime(const JsonRecord& record, const char* key);

/**
 * @ingroup dml-import
 * @brief What a trace of ours has of one worker.
 */
struct WorkerTrace
{
    TraceJob job;                 //!< the job
    std::vector<TraceStep> steps; //!< complete ones, in the order of their ends
    uint32_t incomplete{0};       //!< steps that began
    uint32_t workers{0};          //!< of the run
    uint32_t joint{0};            //!< updates that another worker ran
    uint64_t bytes{0};            //!< size of the file
    bool truncated{false};        //!< its end is missing
};

/**
 * @brief Read a trace of ours, see TRACE_SCHEMA, as a stream.
 * @param file path, plain or gzipped; its end may be missing
 * @param worker number in the file's first run, or name of a process, as "packet worker 1"
 * @return what it has of that worker
 * @throws InputError naming file, line, column and JSON path if it is no such trace; or if it has
 * no such worker
 */
WorkerTrace ReadWorkerTrace(const std::string& file, const std::string& worker);

} // namespace ns3::dml

#endif /* DML_WORKER_TRACE_H */
