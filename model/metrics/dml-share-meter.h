/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARE_METER_H
#define DML_SHARE_METER_H

#include "dml-interval-union.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace ns3::dml
{

/// Share of a worker in what all workers got from a server's link in an interval.
struct ShareSample
{
    Direction direction; //!< of the link
    uint32_t server;     //!< index of the server with the link
    double start;        //!< of the interval, s
    uint32_t worker;     //!< index of the worker with the share
    uint32_t active;     //!< workers that were active, at least 1
    double share;        //!< 0 to 1; 1 / active if all are equal
};

/// How far shares were from 1 / n.
struct ShareSummary
{
    uint64_t intervals{0}; //!< intervals of links with two active workers or more
    double mean{std::numeric_limits<double>::quiet_NaN()}; //!< mean |share * n - 1|; NaN: none
    double p90{std::numeric_limits<double>::quiet_NaN()};  //!< 90th percentile of it (nearest rank)
    std::vector<double> workers; //!< mean share * n of each worker; NaN if it has none
};

/**
 * @ingroup dml-metrics
 * @brief Measures how the active workers shared each server's link over time.
 *
 * A worker is active on a direction of a server's link from the first byte of a transfer to its
 * last. Only those intervals of the grid count in which the same workers were active from their
 * start to their end, so that n is well defined. The grid starts with 10 ms and doubles whenever
 * there would be more than 16384 intervals.
 */
class ShareMeter : public RunListener<ShareMeter>
{
  public:
    /**
     * @param workers number of workers; records of others are ignored
     * @param servers number of parameter servers; records of others are ignored
     */
    ShareMeter(uint32_t workers, uint32_t servers);

    void On(const TransferRecord& record);
    void On(const FlowRecord& record);

    /// @return length of an interval, s
    double GetWidth() const
    {
        return m_width;
    }

    /**
     * @param t0 start of the stretch of time that counts, s
     * @param t1 its end, s
     * @param visit told of every share, in the order of links and time
     */
    void ForEach(double t0, double t1, const std::function<void(const ShareSample&)>& visit) const;

    /// @param t0 start of what counts, s @param t1 its end, s @return the deviations from 1 / n
    ShareSummary Summarise(double t0, double t1) const;

  private:
    /// One direction of a server's link.
    struct Link
    {
        std::vector<float> bytes;          //!< at interval * workers + worker
        std::vector<IntervalUnion> active; //!< by worker: when it was active
    };

    uint64_t GetInterval(double time) const;
    void Widen();

    uint32_t m_workers;        //!< number of workers
    double m_width{0.01};      //!< of an interval, s
    std::vector<Link> m_links; //!< at 2 * server, + 1 for the uplink
};

} // namespace ns3::dml

#endif /* DML_SHARE_METER_H */
