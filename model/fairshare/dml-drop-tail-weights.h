/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DROP_TAIL_WEIGHTS_H
#define DML_DROP_TAIL_WEIGHTS_H

#include "dml-port-shares.h"
#include "dml-rate-solver.h"

#include "ns3/rng-stream.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The weights of TCP connections at drop-tail ports, see DropTailSolver.
 *
 * Windows grow alike until the port is full and loses packets, which shrinks some of them. So a
 * port that several connections send through has a loss each time PortShares::persistence ln 2 of
 * such time has passed, the first one at a random part of that, and each of them gets a new weight
 * then with probability 1/2: after a time t the correlation of weights is about
 * exp(-t / persistence). Without a loss weights stay; those of new connections are equal. Who comes
 * when others have filled the port, again or for the first time, gets a new weight, of twice the
 * deviation.
 *
 * A change costs as much as flows have started and ended, and, at times, as there are newcomers or
 * weights to be drawn.
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
        /// Standard deviation of the logarithm of a weight, from 0; empty: as GetPortShares() says.
        std::optional<double> spread{};
        /// Correlation of a flow's weight with the one it had when it started last, 0 to 1, and
        /// which it keeps while it sends; empty: it changes with losses, as GetPortShares() says.
        std::optional<double> memory{};
        uint32_t seed{1};        //!< seed of the scenario, at least 1
        uint32_t replication{0}; //!< number of the replication
        double newcomer{1};      //!< part of its weight that a newcomer has, above 0, to 1
        bool begun{false};       //!< whether ports have lost packets of all connections before
    };

    /// @param network links and routes @param shares how unequal they are
    DropTailWeights(const FlowNetwork& network, const Shares& shares);

    /**
     * @brief Draw weights of flows that have started, and of others when it is time to, and see
     * which flows are newcomers.
     * @param changes since the last call for the same domain
     * @return flows whose weight has changed and that have not ended, some
     * more than once; valid until the next call
     */
    const std::vector<FlowId>& Change(const FlowChanges& changes);

    /// @param domain of flows @return when weights change though no flow starts or ends, seconds
    /// from the start of the run; infinite: not, or there are too many to ask each
    double GetNextChange(uint32_t domain) const;

    /// @brief A link changes its rate at the next change. @param link which one @param
    /// bytesPerSecond from 0
    void SetCapacity(LinkId link, double bytesPerSecond);

    /// @return weight of a flow at drop-tail ports, above 0 @param flow which one
    double Get(FlowId flow) const
    {
        return m_weights[flow];
    }

  private:
    /// Number of a connection.
    using Connection = FlowId;

    static constexpr double NOT_YET = std::numeric_limits<double>::infinity();

    /// What is known of a connection.
    struct State
    {
        double deviation{0}; //!< how far its weight's logarithm is from the mean, in spreads
        double spread{0};    //!< standard deviation of that logarithm
        /// GetLosses() when its weight was drawn; of one that pauses, less those when it paused.
        double losses{0};
        double begun{NOT_YET};   //!< when it first sent, seconds
        uint32_t active{0};      //!< its flows that send
        bool established{false}; //!< whether it began ESTABLISHED ago
        bool newcomer{false};    //!< whether its window is small yet
        bool due{false};         //!< whether it is in Domain::due
    };

    /// When the weight of a connection is to be drawn anew, seconds, and of which.
    using Due = std::pair<double, Connection>;

    /// Connections that may share links, in the order in which they first sent.
    struct Domain
    {
        std::vector<Connection> begun; //!< all of them
        std::size_t established{0};    //!< so many of these were found to be established
        std::size_t grown{0};          //!< so many of these are no newcomers
        std::vector<Due> due;          //!< a heap, whose first is the earliest
    };

    /// Flows and connections that meet at a port.
    struct Port
    {
        double bytes{0}; //!< room in its queue; 0: it is no drop-tail port
        /// Number of losses; its fraction is the part that has passed of the time between two.
        double losses{0};
        double counted{0}; //!< until when they are counted, seconds
        double filling{0}; //!< since when connections send, seconds
        double drain{0};   //!< seconds that the link needs for its bytes
        /// By number of connections that send through it, as far as it matters.
        std::vector<PortShares> shares{};
        uint32_t flows{0};       //!< that cross it
        uint32_t active{0};      //!< connections that send through it
        uint32_t established{0}; //!< active flows of connections that are established
    };

    /// @return the connection of a flow
    Connection Of(FlowId flow) const
    {
        return m_connections.empty() ? flow : m_connections[flow];
    }

    /// A port gets its rate. @param bytesPerSecond above 0
    static void SetRate(Port& port, double bytesPerSecond);
    double DrawNormal();
    /// @return how connections share a port as long as it has as many as now
    static const PortShares& GetShares(const Port& port);
    /// @return the port of a connection at which shares are least equal; null: it has none
    const Port* FindPort(Connection connection) const;
    /// @return whether others have filled a port of the connection
    bool IsFilled(Connection connection, double now) const;
    /// Count the losses of a port until now.
    static void CountLosses(Port& port, double now);
    /// @return losses of the ports of a connection until now
    double GetLosses(Connection connection, double now);
    /// Draw the weight of a connection of which a flow starts or sends, and see when to do so
    /// again.
    void Draw(Domain& domain, Connection connection, double now);
    /// @param most how many weights are drawn at most
    void DrawDue(Domain& domain, double now, std::size_t most);
    double GetWeight(Connection connection) const;
    /// Have all active flows of a connection use its weight.
    void Apply(Connection connection);
    void FindEstablished(Domain& domain, double now);
    /// @param few whether few flows may be left at a port
    void FindNewcomers(Domain& domain, const FlowChanges& changes, bool few);
    void Start(FlowId flow, double now);
    /// @return whether few flows may be left at a port
    bool End(FlowId flow, double now);
    /// @param connection that begins or ceases to send @param change 1 or -1
    void CountActive(Connection connection, int32_t change, double now);
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
    std::vector<Port> m_meetings; //!< ports where flows meet, by link
    /// Ports whose rates change next, and these rates, bytes per second.
    std::vector<std::pair<LinkId, double>> m_rates;
    std::vector<Domain> m_domains; //!< by number, as far as they have changed
    std::vector<FlowId> m_changed; //!< result of Change()
};

} // namespace ns3::dml

#endif /* DML_DROP_TAIL_WEIGHTS_H */
