/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DROP_TAIL_WEIGHTS_H
#define DML_DROP_TAIL_WEIGHTS_H

#include "dml-rate-solver.h"

#include "ns3/rng-stream.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The weights of TCP connections at drop-tail ports, see DropTailSolver.
 *
 * A change costs as much as flows have started and ended, and, at times, as there are newcomers.
 */
class DropTailWeights
{
  public:
    static constexpr uint64_t STREAM = 2600000; //!< ns-3 stream of the weights
    static constexpr double ESTABLISHED = 0.1;  //!< seconds of sending
    static constexpr double GROWN = 2;          //!< seconds after which a window is as others'

    /// How unequal shares are.
    struct Shares
    {
        double spread{0};        //!< standard deviation of the logarithm of a weight, from 0
        double memory{0};        //!< correlation of a flow's weight with its last one, 0 to 1
        uint32_t seed{1};        //!< seed of the scenario, at least 1
        uint32_t replication{0}; //!< number of the replication
        double newcomer{1};      //!< part of its weight that a newcomer has, above 0, to 1
    };

    /// @param network links and routes @param shares how unequal they are
    DropTailWeights(const FlowNetwork& network, const Shares& shares);

    /**
     * @brief Draw weights of flows that have started, and see which flows are newcomers.
     * @param changes since the last call for the same domain
     * @return flows that are no newcomers any more and have neither started nor ended; valid until
     * the next call
     */
    const std::vector<FlowId>& Change(const FlowChanges& changes);

    /// @return weight of a flow at drop-tail ports, above 0 @param flow which one
    double Get(FlowId flow) const
    {
        return m_weights[flow];
    }

  private:
    /// Number of a connection.
    using Connection = FlowId;

    /// When a connection began that has not.
    static constexpr double NOT_YET = std::numeric_limits<double>::infinity();

    /// What is known of a connection.
    struct State
    {
        double logarithm{0};     //!< of its weight, when it is no newcomer
        double begun{NOT_YET};   //!< when it first sent, seconds
        uint32_t active{0};      //!< its flows that send
        bool established{false}; //!< whether it began ESTABLISHED ago
        bool newcomer{false};    //!< whether its window is small yet
    };

    /// Connections that may share links, in the order in which they first sent.
    struct Domain
    {
        std::vector<Connection> begun; //!< all of them
        std::size_t established{0};    //!< so many of these were found to be established
        std::size_t grown{0};          //!< so many of these are no newcomers
    };

    /// Flows of which the established ones make others newcomers.
    struct Port
    {
        uint32_t flows{0};       //!< that cross it
        uint32_t established{0}; //!< active ones of these that are established
    };

    /// @return the connection of a flow
    Connection Of(FlowId flow) const
    {
        return m_connections.empty() ? flow : m_connections[flow];
    }

    double DrawNormal();
    void DrawWeight(FlowId flow);
    void FindEstablished(Domain& domain, double now);
    void FindNewcomers(Domain& domain, const FlowChanges& changes);
    void Start(FlowId flow);
    /// @return whether few flows may be left at a port
    bool End(FlowId flow);
    /// Count flows of an established connection that send at its ports, or count them no longer.
    /// @param flows how many; negative: no longer @return whether a port has at most one of them
    /// now
    bool Count(Connection connection, int32_t flows);
    /// @return whether the connection shares a port with others that are established
    bool MeetsOthers(Connection connection) const;
    void EndNewcomer(Connection connection);

    Shares m_shares;                          //!< how unequal they are
    RngStream m_random;                       //!< of all weights
    std::vector<double> m_weights;            //!< by flow: its weight that counts
    std::vector<FlowId> m_connections;        //!< by flow; empty: each is its own
    std::vector<State> m_states;              //!< by connection
    std::vector<std::vector<LinkId>> m_ports; //!< by connection: where it meets others
    /// By connection, if flows are not their own: those that send.
    std::vector<std::vector<FlowId>> m_sending;
    std::vector<Port> m_established; //!< by link
    std::vector<Domain> m_domains;   //!< by number, as far as they have changed
    std::vector<FlowId> m_changed;   //!< result of Change()
};

} // namespace ns3::dml

#endif /* DML_DROP_TAIL_WEIGHTS_H */
