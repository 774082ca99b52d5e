/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EQUAL_SHARING_H
#define DML_EQUAL_SHARING_H

#include "dml-bandwidth-sharing.h"
#include "dml-turnover-heap.h"

#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief Each of the n workers active in one direction of a server's link gets 1/n of its rate.
 *
 * Source: Li et al., ICPE 2020, section 3.1. Each direction of a server is a processor-sharing
 * queue kept in virtual time: V grows by rate/n bytes per second, a flow of b bytes that starts at
 * V ends at V + b whatever happens in between. So an event costs O(log n), not O(n).
 */
class EqualSharing : public BandwidthSharing
{
  public:
    /**
     * @param network servers' links and flows of training; nothing else counts
     * @param observer told of busy periods; may be null
     */
    EqualSharing(const FlowNetwork& network, RunObserver* observer);

    void Start(FlowId flow, double bytes, uint64_t order, double now) override;
    using BandwidthSharing::GetNextEnd;
    const FlowEnd& GetNextEnd(double horizon) override;
    void Finish() override;
    void Stop(FlowId flow, double now) override;
    void SetCapacity(LinkId link, double bytesPerSecond, double now) override;
    void MoveOrigin(double seconds) override;
    void Flush(double now) override;

  private:
    /// An active flow of a link.
    struct Active
    {
        double end;      //!< virtual time at which it ends
        int64_t instant; //!< end on a grid, so that ends that are equal on paper are equal
        uint64_t order;  //!< rank among equal ends
        FlowId flow;     //!< the flow

        /// @param other of the same link @return whether this one ends first
        bool GoesBefore(const Active& other) const
        {
            return instant != other.instant ? instant < other.instant : order < other.order;
        }
    };

    /// One direction of one server.
    struct Link
    {
        ServerLink server;             //!< the server's link
        double rate;                   //!< bytes per second
        double grid;                   //!< rate at the start of the run, > 0
        TurnoverHeap<Active> active{}; //!< flows at work
        double virtualTime{0}; //!< bytes served per active flow since the link was last idle
        double updated{0};     //!< seconds: when virtualTime held
        FlowEnd next{};        //!< first flow to end, if it is not stale
        bool stale{false};     //!< whether something has changed since next was found
        double busySince{0};   //!< seconds: since when it has not been idle
    };

    void Advance(Link& link, double now) const;
    void Change(Link& link);
    static void FindNext(Link& link);
    void ReportBusy(const Link& link, double now) const;

    RunObserver* m_observer;            //!< may be null
    std::vector<Link> m_links;          //!< as the servers' links of the network
    std::vector<uint32_t> m_linkOfFlow; //!< by flow: index in m_links
    double m_origin{0};                 //!< seconds from the start of the run
    FlowEnd m_next;                     //!< first flow to end of all links, if it is not stale
    bool m_stale{false};                //!< whether some link's is
};

} // namespace ns3::dml

#endif /* DML_EQUAL_SHARING_H */
