/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WORKERS_PER_HOST_H
#define DML_WORKERS_PER_HOST_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief How many workers live on each host of a job (`job.workers_per_host`): as many on all
 * hosts, of which the last one may have fewer, or a number for each host.
 *
 * Workers are dealt host by host: the first ones live on host 0.
 */
class WorkersPerHost
{
  public:
    /// @param each workers of every host, at least 1
    WorkersPerHost(uint32_t each = 1) // a number alone is that of all hosts
        : m_each(each)
    {
    }

    /// @param list workers of host 0, 1, ..., each at least 1; not empty
    explicit WorkersPerHost(std::vector<uint32_t> list)
        : m_list(std::move(list))
    {
    }

    /// @return workers of each host; empty: GetEach()
    const std::vector<uint32_t>& GetList() const
    {
        return m_list;
    }

    /// @return workers of every host, where GetList() is empty
    uint32_t GetEach() const
    {
        return m_each;
    }

    /// @return whether any host has several workers
    bool AreShared() const;

    /// @return workers of all hosts; 0: any number
    uint64_t GetTotal() const;

    /// @param worker from 0, below GetTotal() if that is not 0 @return number of its host, from 0
    uint32_t FindHost(uint32_t worker) const;

    /// @param host from 0 @return its first worker; of a host that a list does not have, GetTotal()
    uint64_t FindFirstWorker(uint32_t host) const;

  private:
    uint32_t m_each{1};           //!< workers of every host, without a list
    std::vector<uint32_t> m_list; //!< workers of each host; empty: all have as many
};

} // namespace ns3::dml

#endif /* DML_WORKERS_PER_HOST_H */
