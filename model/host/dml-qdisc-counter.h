/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_QDISC_COUNTER_H
#define DML_QDISC_COUNTER_H

#include "dml-network-namespace.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Reads what a device has sent, often and at little cost: rtnetlink, without a process.
 */
class QdiscCounter
{
  public:
    /**
     * @param place where the device is
     * @param device its name
     * @throws RunError if there is no such device, or the system forbids it
     */
    QdiscCounter(const NetworkNamespace& place, const std::string& device);
    ~QdiscCounter();
    QdiscCounter(QdiscCounter&& other) noexcept;
    QdiscCounter(const QdiscCounter&) = delete;
    QdiscCounter& operator=(const QdiscCounter&) = delete;

    /// @return bytes that its queueing discipline has sent, as GetLinkBytes() counts them
    uint64_t Read() const;

  private:
    int m_file;   //!< netlink socket of the namespace
    int m_device; //!< index
};

} // namespace ns3::dml

#endif /* DML_QDISC_COUNTER_H */
