/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONNECTION_WINDOWS_H
#define DML_CONNECTION_WINDOWS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief WIN of every connection of a run: for each worker, server and direction of data a
 * constant, or one window for each step.
 */
class ConnectionWindows
{
  public:
    /// No windows: all connections have the run's.
    ConnectionWindows() = default;

    /**
     * @brief Draw a window for every connection, uniformly.
     *
     * Each connection draws from an ns-3 stream of its own and each replication from its own
     * substream, so the windows do not depend on the number of workers.
     *
     * @param workers number of workers
     * @param servers number of parameter servers
     * @param min smallest window in bytes, at least 1
     * @param max largest window in bytes, at least @p min
     * @param seed of the run, at least 1
     * @param replication number of the replication
     * @param stream of the first connection
     */
    ConnectionWindows(uint32_t workers,
                      uint32_t servers,
                      uint64_t min,
                      uint64_t max,
                      uint32_t seed,
                      uint32_t replication,
                      uint32_t stream = 0);

    /**
     * @brief All connections have the same window, until Set().
     * @param workers number of workers
     * @param servers number of parameter servers
     * @param window in bytes, at least 1
     */
    ConnectionWindows(uint32_t workers, uint32_t servers, uint64_t window);

    /**
     * @param worker index
     * @param server index
     * @param downlink true for data from server to worker
     * @param windows WIN in bytes for steps 0, 1, ...; the last one stays. Not empty
     */
    void Set(uint32_t worker, uint32_t server, bool downlink, std::vector<uint64_t> windows);

    /// @return true if all connections have the run's window
    bool IsEmpty() const
    {
        return m_windows.empty();
    }

    /**
     * @param worker index
     * @param server index
     * @param downlink true for data from server to worker
     * @param step number of the step
     * @return WIN in bytes that the receiver of the data announces; not for an empty object
     */
    uint64_t Get(uint32_t worker, uint32_t server, bool downlink, uint32_t step = 0) const;

    /// @param worker index @param server index @param downlink true for data from server to worker
    /// @return WIN in bytes for steps 0, 1, ...; the last one stays
    const std::vector<uint64_t>& GetSteps(uint32_t worker, uint32_t server, bool downlink) const;

  private:
    std::size_t GetIndex(uint32_t worker, uint32_t server, bool downlink) const;

    std::vector<std::vector<uint64_t>> m_windows; //!< by worker, server, direction; then by step
    uint32_t m_servers{1};                        //!< number of servers
};

} // namespace ns3::dml

#endif /* DML_CONNECTION_WINDOWS_H */
