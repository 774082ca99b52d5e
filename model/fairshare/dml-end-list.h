/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_END_LIST_H
#define DML_END_LIST_H

#include "dml-bandwidth-sharing.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief Flows and when they end: one may change at little cost, or all of them at once.
 *
 * Ends lie in blocks whose minima are kept, so that to find the first after one has changed takes
 * O(sqrt(n)) in practice, and O(n) after all have. A heap would take O(log(n)) for the one, but
 * longer for the other, which is as frequent where rates are solved.
 */
class EndList
{
  public:
    /// @return number of flows
    std::size_t GetSize() const
    {
        return m_flows.size();
    }

    /// @return the flows, in no particular order
    const std::vector<FlowId>& GetFlows() const
    {
        return m_flows;
    }

    /**
     * @brief Append a flow.
     * @param flow which one
     * @param order rank among simultaneous ends
     * @param bytes that it has to be served
     * @param rate in bytes per second
     * @param now seconds
     */
    void Add(FlowId flow, uint64_t order, double bytes, double rate, double now);

    /// @param place of a flow, from 0 @param rate bytes per second from now on @param now seconds
    void SetRate(std::size_t place, double rate, double now)
    {
        Progress& flow = m_progress[place];
        if (rate != flow.rate)
        {
            flow.left = std::max(0.0, flow.left - flow.rate * (now - flow.since));
            flow.since = now;
            flow.rate = rate;
            m_ends[place] = flow.GetEnd();
            m_blocks[place / BLOCK].stale = true;
        }
    }

    /// @brief Count all times from a later origin. @param seconds by which it is later
    void MoveOrigin(double seconds);

    /**
     * @brief Take a flow out; the last flow takes its place.
     * @param place of the flow, from 0
     */
    void Remove(std::size_t place);

    /// @return the flow that ends first, by instant, then by order; none if all ends are infinite
    FlowEnd FindFirst();

  private:
    static constexpr std::size_t BLOCK = 32; //!< ends of a block

    static constexpr double NEVER = std::numeric_limits<double>::infinity(); //!< end of no flow

    /// How far a flow is.
    struct Progress
    {
        double left;  //!< bytes not yet served at since
        double since; //!< seconds
        double rate;  //!< bytes per second since then

        /// @return seconds; infinite if it does not end
        double GetEnd() const
        {
            return left <= 0 ? since : since + left / rate; // by 0: infinite
        }
    };

    /// Some ends that lie together.
    struct Block
    {
        double first; //!< the least of them, if it is not stale
        bool stale;   //!< whether one of them has changed
    };

    FlowEnd GetEndAt(std::size_t place) const;
    void Refresh(std::size_t block);

    std::vector<FlowId> m_flows;      //!< by place
    std::vector<uint64_t> m_orders;   //!< by place: rank among simultaneous ends
    std::vector<Progress> m_progress; //!< by place
    std::vector<double> m_ends;       //!< by place, in seconds; blocks are filled up with NEVER
    std::vector<Block> m_blocks;      //!< of places BLOCK * i and following
};

} // namespace ns3::dml

#endif /* DML_END_LIST_H */
