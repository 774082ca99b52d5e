/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NETWORK_NAMESPACE_H
#define DML_NETWORK_NAMESPACE_H

#include <string>

namespace ns3::dml
{

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
    ~NetworkNamespace();
    NetworkNamespace(NetworkNamespace&& other) noexcept;
    NetworkNamespace(const NetworkNamespace&) = delete;
    NetworkNamespace& operator=(const NetworkNamespace&) = delete;

    /// @brief Move the calling thread into it. @throws RunError if the system forbids it
    void Enter() const;

    /// @return its path for other programs of this user while this process lives
    std::string GetPath() const;

  private:
    int m_file; //!< open file that keeps it
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
    int m_before; //!< open file of where the thread was
};

} // namespace ns3::dml

#endif /* DML_NETWORK_NAMESPACE_H */
