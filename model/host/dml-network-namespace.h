/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NETWORK_NAMESPACE_H
#define DML_NETWORK_NAMESPACE_H

#include "ns3/dml-open-file.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Get the right to make network namespaces.
 *
 * A process that has it already (root) stays as it is. Any other becomes root of a user namespace
 * of its own, and moves into an empty network namespace of that: from then on it cannot talk to the
 * world. Its files, and who may touch them, stay as they are.
 *
 * Only in a process of one thread.
 * @throws RunError if the system forbids it, with what forbids it and what to do
 */
void EnterUserNamespace();

/**
 * @ingroup dml-host
 * @brief A network namespace: devices, addresses, routes and ports of its own.
 *
 * It has no name and nothing on disk. It lives as long as this object, a process in it, or a socket
 * made in it; the kernel removes it afterwards, also when this process is killed.
 */
class NetworkNamespace
{
  public:
    /**
     * @brief Make an empty one, whose loopback device is down. This thread stays where it is.
     * @throws RunError if the system forbids it; see EnterUserNamespace()
     */
    NetworkNamespace();

    /// @brief Move the calling thread into it. @throws RunError if the system forbids it
    void Enter() const;

    /// @return its path for other programs of this user while this process lives
    std::string GetPath() const;

  private:
    OpenFile m_file; //!< keeps it
};

/**
 * @ingroup dml-host
 * @brief Keeps the calling thread in a network namespace until the end of a block.
 */
class NetworkVisit
{
  public:
    /// @param place to enter @throws RunError if the system forbids it
    explicit NetworkVisit(const NetworkNamespace& place);
    /// Back to where the thread was.
    ~NetworkVisit();
    NetworkVisit(const NetworkVisit&) = delete;
    NetworkVisit& operator=(const NetworkVisit&) = delete;

  private:
    OpenFile m_before; //!< where the thread was
};

} // namespace ns3::dml

#endif /* DML_NETWORK_NAMESPACE_H */
