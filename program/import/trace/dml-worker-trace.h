/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WORKER_TRACE_H
#define DML_WORKER_TRACE_H

#include "dml-trace-job.h"
#include "dml-trace-step.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

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
