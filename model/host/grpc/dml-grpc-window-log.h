/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_WINDOW_LOG_H
#define DML_GRPC_WINDOW_LOG_H

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief The windows that peers announce, which gRPC tells nobody but its log.
 *
 * Its tracer "http" logs each setting that a connection gets. That takes some per cent of the
 * library's CPU time.
 */
class GrpcWindowLog
{
  public:
    /// @brief From now on, hear of all connections of this process; nothing else is logged.
    static void Begin();

    /// @param file of a connection that gRPC has accepted
    /// @return its last INITIAL_WINDOW_SIZE, in bytes; 0: none yet
    static uint64_t Get(int file);
};

} // namespace ns3::dml

#endif /* DML_GRPC_WINDOW_LOG_H */
