/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_END_LIST_H
#define DML_END_LIST_H

#include "dml-bandwidth-sharing.h"

#include <cstddef>
#include <vector>

namespace ns3
{
namespace dml
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

    /// @param flow to append @param order rank among simultaneous ends @param end seconds
    void Add(FlowId flow, uint64_t order, double end);

    /// @param place of a flow, from 0 @param end seconds; infinite if the flow does not end
    void Set(std::size_t place, double end)
    {
        m_ends[place] = end;
        m_blocks[place / BLOCK].stale = true;
    }

    /// @param place of a flow, from 0 @return when it ends, in seconds
    double Get(std::size_t place) const
    {
        return m_ends[place];
    }

    /**
     * @brief Take a flow out; the last flow takes its place.
     * @param place of the flow, from 0
     */
    void Remove(std::size_t place);

    /// @return the flow that ends first, by instant, then by order; none if all ends are infinite
    FlowEnd FindFirst();

  private:
    static constexpr std::size_t BLOCK = 32; //!< ends of a block

    /// Some ends that lie together.
    struct Block
    {
        double first; //!< the least of them, if it is not stale
        bool stale;   //!< whether one of them has changed
    };

    void Refresh(std::size_t block);

    std::vector<FlowId> m_flows;    //!< by place
    std::vector<uint64_t> m_orders; //!< by place: rank among simultaneous ends
    std::vector<double> m_ends;     //!< by place, in seconds
    std::vector<Block> m_blocks;    //!< of places BLOCK * i and following
};

} // namespace dml
} // namespace ns3

#endif /* DML_END_LIST_H */
