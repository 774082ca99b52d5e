/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NETWORK_SPEC_H
#define DML_NETWORK_SPEC_H

#include "ns3/data-rate.h"
#include "ns3/dml-plugin-kind.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// The queue of a port.
struct QueueSpec
{
    /// What it does with packets.
    enum class Kind
    {
        DROP_TAIL, //!< one FIFO, drops what does not fit
        FAIR,      //!< a FIFO per flow, served round robin by bytes; the longest one drops
        FQ_CODEL,  //!< fair queueing with CoDel in each queue (RFC 8290)
        RED,       //!< one FIFO with random early drops (Floyd and Jacobson 1993)
        ECN,       //!< one FIFO that marks above a threshold, as DCTCP wants it (RFC 8257)
        SHARED,    //!< one FIFO in the memory of its switch, which ports share with dynamic
                   //!< thresholds (Choudhury and Hahne 1998, see SharedBuffer)
    };

    Kind kind{Kind::DROP_TAIL}; //!< discipline
    uint64_t bytes{1000000};    //!< largest content in bytes; 0: never drops (FAIR, FQ_CODEL: the
                                //!< packets of full size that fit, whatever their size; SHARED:
                                //!< the memory of the switch, above 0)
    uint64_t threshold{0};      //!< ECN, SHARED: marks above so many bytes; SHARED: 0 for never
    bool ecn{false};            //!< RED, FQ_CODEL: mark where possible instead of dropping
    bool wholeBursts{false}; //!< DROP_TAIL, SHARED: takes or drops the bursts of hosts as a whole
    /// ECN, SHARED: marks above so many packets of the link's MTU; 0: above `threshold`, which
    /// NetworkBuilder makes of it.
    uint64_t thresholdPackets{0};
    double alpha{1}; //!< SHARED: the port holds at most so many times the free bytes, above 0
    /// Of ports with a queue disc of another class: its TypeId and attributes. All else is then
    /// what stands for it where there are no packets (ModelledQueueDisc). Null: there is none.
    std::shared_ptr<const PluginSpec> own{};
    bool isModelled{true}; //!< with `own`: something is known that stands for it

    /// @return true if it may mark packets (ECN)
    bool Marks() const
    {
        return kind == Kind::ECN || ecn || threshold > 0 || thresholdPackets > 0;
    }

    /// @return true if what does not fit is dropped as it comes, and nothing before
    bool DropsTail() const
    {
        return bytes > 0 && !Marks() && (kind == Kind::DROP_TAIL || kind == Kind::SHARED);
    }

    /// @return the threshold as scenarios write it, such as "65 packets" or "97500B"
    std::string GetThresholdText() const
    {
        return thresholdPackets > 0 ? std::to_string(thresholdPackets) + " packets"
                                    : std::to_string(threshold) + "B";
    }

    /// @return true if flows wait for each other in arrival order
    bool IsFifo() const
    {
        return kind != Kind::FAIR && kind != Kind::FQ_CODEL;
    }
};

/// Rates of the two directions of a link, above 0.
struct LinkRates
{
    /// @param rate of both directions
    LinkRates(const DataRate& rate) // a rate alone is that of both
        : up(rate),
          down(rate)
    {
    }

    /// @param up of what the first end sends @param down of what the other end sends
    LinkRates(const DataRate& up, const DataRate& down)
        : up(up),
          down(down)
    {
    }

    /// @return whether both are the same
    bool AreEqual() const
    {
        return up == down;
    }

    /// @param other rates of another link @return whether they are the same
    bool operator==(const LinkRates& other) const
    {
        return up == other.up && down == other.down;
    }

    /// @return the same link, seen from its other end
    LinkRates Reverse() const
    {
        return {down, up};
    }

    DataRate up;   //!< of what the first end sends: a host, a leaf, the left one of two switches
    DataRate down; //!< of what the other end sends
};

/// What a link has; nothing means: as the network's other links.
struct LinkSpec
{
    std::optional<LinkRates> rate;  //!< of its directions
    std::optional<Time> delay;      //!< propagation, >= 0
    std::optional<QueueSpec> queue; //!< of switch ports on it
    std::optional<uint32_t> mtu;    //!< bytes of an IP packet
    /// Of a host that workers share: how many such links it has, at least 1.
    std::optional<uint32_t> nics;
};

/// What carries traffic between workers and servers on one host, such as NVLink (`network.local`).
/// Each of them has a port of its own to it, as to a switch that is never the bottleneck itself.
struct LocalLinkSpec
{
    DataRate rate; //!< of each port, each direction
    Time delay;    //!< from one to another, >= 0
};

/// A link of an explicit topology.
struct ExplicitLinkSpec
{
    std::array<std::string, 2> ends; //!< names of nodes
    LinkSpec link;                   //!< its properties
    uint32_t metric{1};              //!< its length in shortest paths, 1 to 100
};

/// How nodes are connected (`network.topology`).
struct TopologySpec
{
    std::string type{"star"};    //!< of Topologies(): a name, or a TypeId
    PluginAttributes attributes; //!< of a TypeId
    LinkSpec trunk;              //!< dumbbell, leaf-spine: links between switches
    uint32_t leaves{2};          //!< leaf-spine: leaf switches, at least 1
    uint32_t spines{1};          //!< leaf-spine: spine switches, at least 1
    /// Leaf-spine: rate of a leaf's hosts over that of the trunks on which it sends, which is one
    /// without `multipath`; sets the trunks' rate.
    double oversubscription{1};
    std::vector<std::string> switches;   //!< explicit: names
    std::vector<ExplicitLinkSpec> links; //!< explicit
};

/// Which of several equally short paths packets take (`network.multipath`).
struct MultipathSpec
{
    std::string policy{"none"};  //!< of MultipathPolicies(): a name, or a TypeId; none: one path
                                 //!< for each pair of hosts
    PluginAttributes attributes; //!< of the policy

    /// @return whether several equally short paths are all used
    bool IsOn() const
    {
        return policy != "none";
    }
};

/// TCP of the packet engine (`network.tcp`: a name, or a map with these keys), as Linux has it.
struct TcpSpec
{
    std::string variant{"cubic"};             //!< of CongestionControls(): a name, or a TypeId
    PluginAttributes variantAttributes;       //!< of a TypeId
    bool sack{true};                          //!< selective acknowledgements
    bool timestamps{true};                    //!< TCP timestamps (12 bytes per segment)
    Time minRto{MilliSeconds(200)};           //!< lower bound of the retransmission timeout
    Time delayedAckTimeout{MilliSeconds(40)}; //!< delayed-ACK timer
    uint32_t initialWindow{10};               //!< initial congestion window, in segments
    uint64_t sendBuffer{4194304};             //!< bytes; with autotuning: at most
    uint64_t receiveBuffer{8388608};          //!< bytes, at least twice the send buffer
    bool autotuning{true};                    //!< the send buffer grows with the congestion window
    std::optional<uint64_t> gso; //!< largest burst, bytes, 0: single segments; none: by
                                 //!< the rate
    bool trains{false};          //!< a burst is one packet of the simulator
    bool smallQueues{true};      //!< little waits in the own host
    bool windowValidation{true}; //!< the congestion window grows only when it is the
                                 //!< limit
    bool idleRestart{true};      //!< the congestion window shrinks in pauses
    bool hystart{true};          //!< `cubic`: slow start ends when delays show a queue
    bool rack{true};             //!< losses are found by time, and by probes after the last segment
    std::optional<Time> ackJitter; //!< mean time in which a host acknowledges a burst; none:
                                   //!< GetAckJitter()

    /// @return the congestion control of connections that have none of their own
    PluginSpec GetControl() const
    {
        return {variant, variantAttributes};
    }

    /// @return whether it has none of the parts of Linux
    bool IsPlain() const
    {
        return !autotuning && gso && *gso == 0 && !smallQueues && !windowValidation &&
               !idleRestart && !rack;
    }
};

/// @return ns-3's own: buffers of a fixed size, and none of the parts of Linux
TcpSpec PlainTcp();

/// @param tcp of hosts @return mean time in which a host acknowledges a burst. Network cards
/// collect packets for some time before they wake the host
Time GetAckJitter(const TcpSpec& tcp);

/// A flow that is not of the training job (`network.background`).
struct BackgroundSpec
{
    /// What it sends.
    enum class Kind
    {
        CONSTANT, //!< UDP at a constant rate
        ON_OFF,   //!< UDP at a constant rate, now and then
        BULK,     //!< TCP, as fast as it goes
    };

    Kind kind{Kind::CONSTANT};     //!< what it sends
    std::string from;              //!< name of a host
    std::string to;                //!< name of another host
    DataRate rate{};               //!< CONSTANT, ON_OFF while on: of UDP payload
    uint64_t bytes{0};             //!< BULK: how much; 0: until it stops
    Time on{};                     //!< ON_OFF: mean length of an on period
    Time off{};                    //!< ON_OFF: mean length of an off period
    bool exponential{false};       //!< ON_OFF: lengths are exponentially distributed, else constant
    std::optional<PluginSpec> tcp; //!< BULK: its congestion control; none: the network's
    Time start{};                  //!< from the start of the run
    Time stop{Time::Max()};        //!< from the start of the run; the largest Time: never
};

/// Something that happens to links (`faults`), in both directions.
struct FaultSpec
{
    /// What happens.
    enum class Kind
    {
        LOSS, //!< packets are lost at random
        DOWN, //!< every packet is lost for a while
        RATE, //!< links have another rate for a while
    };

    Kind kind{Kind::LOSS};         //!< what happens
    std::vector<std::string> link; //!< a host (its link), two neighbours, or empty: all links
    double probability{0};         //!< LOSS: of each packet, 0 to 1
    DataRate rate;                 //!< RATE: each direction
    Time start;                    //!< DOWN, RATE: from the start of the run
    Time duration{Time::Max()};    //!< DOWN, RATE: how long; the largest Time: for good
    std::string key{"faults"};     //!< its key in the scenario, such as "faults[2]", for errors
};

/// Topology, links and transport (`network`).
struct NetworkSpec
{
    TopologySpec topology;            //!< how nodes are connected
    MultipathSpec multipath;          //!< which of equally short paths are taken
    std::string transport{"linux"};   //!< "linux", "plain" or "ideal": see UseTransport()
    DataRate rate{DataRate("1Gbps")}; //!< of every link, each direction
    Time delay{MicroSeconds(10)};     //!< propagation delay of every link
    uint32_t mtu{1500};               //!< bytes of an IP packet, 576 to 65535
    /// Bytes that each link sends at once after a pause (`token_bucket`); none: in a virtual
    /// network GetTokenBucket(), else 0.
    std::optional<uint64_t> tokenBucket;
    QueueSpec queue;                                         //!< of every switch port
    QueueSpec hostQueue{QueueSpec::Kind::FAIR, 0, 0, false}; //!< of every host (`host_queue`)
    std::map<std::string, LinkSpec> hosts;                   //!< links of single hosts, by name
    /// Network cards of each host that workers share (`nics_per_host`), at least 1: so many links
    /// to its switch. Those who live there have one of them each, in turn.
    uint32_t nicsPerHost{1};
    std::map<std::string, std::string> colocate; //!< host by the name of the one that moves in
    std::optional<LocalLinkSpec> local;          //!< within hosts; none: that takes no time
    std::vector<std::string> extraHosts;         //!< hosts of background flows (`extra_hosts`)
    TcpSpec tcp;                                 //!< transport
    std::vector<BackgroundSpec> background;      //!< flows that are not of the job
    std::vector<FaultSpec> faults; //!< what happens to links (the scenario's `faults`)

    /// @return whether ports take whole bursts since links are those of a virtual network, and not
    /// as simulating a burst as one packet saves time
    bool IsVirtual() const
    {
        return queue.kind == QueueSpec::Kind::DROP_TAIL && queue.wholeBursts && !tcp.trains;
    }

    /// @return the key that gives hosts several network cards; empty: none does
    std::string FindNicsKey() const;
};

/// @param network any @return queues that ports of its switches may have: those of all, and those
/// of single links
std::vector<QueueSpec> ListSwitchQueues(const NetworkSpec& network);

/// @param network any @return whether ports may have queue discs of other classes
bool HasOwnQueues(const NetworkSpec& network);

/// @param network any @return whether ports of its switches share memories
bool HasSharedBuffers(const NetworkSpec& network);

/**
 * @brief Set what a `transport` stands for.
 * @param transport "linux": TCP as Linux has it, "plain": PlainTcp(), "ideal": that and switch
 * queues that never drop, for exact tests
 * @param network gets it
 */
void UseTransport(const std::string& transport, NetworkSpec& network);

} // namespace ns3::dml

#endif /* DML_NETWORK_SPEC_H */
