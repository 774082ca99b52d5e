/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-window-log.h"

#include <cstdio>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <map>
#include <mutex>

namespace ns3::dml
{

namespace
{

std::mutex g_mutex;                //!< of what follows
std::map<int, uint64_t> g_windows; //!< by file

/// Called by gRPC from any thread.
void
ReadLogLine(gpr_log_func_args* line)
{
    int file = 0;
    unsigned long window = 0;
    if (std::sscanf(line->message,
                    "CHTTP2:SVR:fd:%d: got setting INITIAL_WINDOW_SIZE = %lu",
                    &file,
                    &window) == 2)
    {
        const std::lock_guard<std::mutex> lock(g_mutex);
        g_windows[file] = window;
    }
    else if (line->severity == GPR_LOG_SEVERITY_ERROR)
    {
        std::fprintf(stderr, "gRPC: %s\n", line->message);
    }
}

} // namespace

void
GrpcWindowLog::Begin()
{
    gpr_set_log_function(ReadLogLine);
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_INFO);
    grpc_tracer_set_enabled("http", 1);
}

uint64_t
GrpcWindowLog::Get(int file)
{
    const std::lock_guard<std::mutex> lock(g_mutex);
    const auto window = g_windows.find(file);
    return window == g_windows.end() ? 0 : window->second;
}

} // namespace ns3::dml
