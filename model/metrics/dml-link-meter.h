/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_METER_H
#define DML_LINK_METER_H

#include "dml-time-bins.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-run-observer.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// What a server's link carries in each direction, in bytes/s.
struct LinkCapacity
{
    /// @param both of each direction
    LinkCapacity(double both) // a number alone is that of both
        : down(both),
          up(both)
    {
    }

    /// @param down from the server @param up to the server
    LinkCapacity(double down, double up)
        : down(down),
          up(up)
    {
    }

    double down; //!< from the server
    double up;   //!< to the server
};

/**
 * @ingroup dml-metrics
 * @brief Utilisation of every server's link over time, in a bounded number of bins.
 *
 * The bins are those of TimeBins, the same for all links.
 */
class LinkMeter : public RunListener<LinkMeter>
{
  public:
    /**
     * @param capacities of each server's link, in the unit of the records
     * @param maxBins bins per link, an even number, at least 2
     */
    explicit LinkMeter(std::vector<LinkCapacity> capacities, uint32_t maxBins = 800);

    /**
     * @param record what a link carried
     * @throws RunError if it names a server that does not exist or its times make no sense
     */
    void On(const LinkRecord& record);

    /// @return number of parameter servers
    uint32_t GetServers() const
    {
        return m_capacities.size();
    }

    /// @return width of a bin, s
    double GetBinWidth() const
    {
        return m_bytes.GetWidth();
    }

    /// @return number of bins up to the last one in which any link carried data
    uint32_t GetBinCount() const
    {
        return m_bytes.GetCount();
    }

    /// @return end of the last record of any link, s
    double GetEnd() const
    {
        return m_bytes.GetEnd();
    }

    /**
     * @brief Utilisation in each bin.
     * @param direction of the link
     * @param server whose link
     * @return carried / capacity per bin, GetBinCount() values; the last bin is measured up to
     * GetEnd() only
     */
    std::vector<double> GetUtilisation(Direction direction, uint32_t server) const;

    /**
     * @brief Mean utilisation over a stretch of time.
     * @param direction of the link
     * @param server whose link
     * @param t0 start, s
     * @param t1 end, s
     * @return carried / capacity in [t0, t1]; a bin that lies partly inside counts in proportion.
     * NaN if t1 <= t0 or one of them is not a number
     */
    double GetMeanUtilisation(Direction direction, uint32_t server, double t0, double t1) const;

    /// @param direction of the link; @param server whose link; @return bytes it carried in all
    double GetBytes(Direction direction, uint32_t server) const;

  private:
    /// @param direction of the link; @param server whose link; @return index into m_bytes
    size_t GetLink(Direction direction, uint32_t server) const
    {
        return 2 * static_cast<size_t>(server) + (direction == Direction::UPLINK ? 1 : 0);
    }

    /// @param direction of the link; @param server whose link; @return what it carries, bytes/s
    double GetCapacity(Direction direction, uint32_t server) const
    {
        const LinkCapacity& capacity = m_capacities[server];
        return direction == Direction::UPLINK ? capacity.up : capacity.down;
    }

    std::vector<LinkCapacity> m_capacities; //!< by server
    TimeBins m_bytes;                       //!< by link
};

} // namespace ns3::dml

#endif /* DML_LINK_METER_H */
