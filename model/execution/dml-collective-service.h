/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_SERVICE_H
#define DML_COLLECTIVE_SERVICE_H

#include <cstdint>
#include <functional>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief Does a worker's part of whole collectives in place of the executor, such as a library that
 * has algorithms of its own.
 */
class CollectiveService
{
  public:
    virtual ~CollectiveService() = default;

    /// @param bytes of the buffer @param done called when the worker has the result; not from
    /// within
    virtual void AllReduce(uint64_t bytes, std::function<void()> done) = 0;
};

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_SERVICE_H */
