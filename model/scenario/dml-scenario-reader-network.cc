/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-keys.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-tcp-variants.h"

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_TCP_WINDOW = 1073725440; // 65535 * 2^14, RFC 7323 section 2.3
constexpr uint64_t MIN_BUFFER = 4096;           // smaller ones are typing errors
constexpr uint64_t MAX_GSO = 65536;
constexpr uint64_t MAX_INITIAL_WINDOW = 10000; // segments

const Keys<TcpSpec>&
TcpKeys()
{
    static const Keys<TcpSpec> KEYS{
        Key{"variant", &TcpSpec::variant, WordValue(TcpVariantNames()), "congestion control"},
        Key{"sack", &TcpSpec::sack, BoolValue(), "selective acknowledgements"},
        Key{"timestamps", &TcpSpec::timestamps, BoolValue(), "12 bytes of each segment"},
        Key{"min_rto",
            &TcpSpec::minRto,
            TimeValue(MilliSeconds(1)),
            "lower bound of the retransmission timeout"},
        Key{"delayed_ack_timeout",
            &TcpSpec::delayedAckTimeout,
            TimeValue(Time(0)),
            "timer of delayed ACKs; with ``bbr`` 0s"},
        Key{"initial_window",
            &TcpSpec::initialWindow,
            IntegerValue(1, MAX_INITIAL_WINDOW),
            "initial congestion window, in segments"},
        Key{"send_buffer",
            &TcpSpec::sendBuffer,
            SizeValue(MIN_BUFFER, MAX_TCP_WINDOW / 2),
            "what a connection has in flight at most"},
        Key{"receive_buffer",
            &TcpSpec::receiveBuffer,
            SizeValue(2 * MIN_BUFFER, MAX_TCP_WINDOW),
            "at least twice the send buffer"},
        Key{"autotuning",
            &TcpSpec::autotuning,
            BoolValue(),
            "the send buffer grows with the congestion window, up to ``send_buffer``"},
        Key{"gso",
            &TcpSpec::gso,
            SizeValue(0, MAX_GSO),
            "largest burst in which segments leave a host, acknowledged as a whole; ``0B``: none"}
            .Default("15000B, above 1.5Gbps 64KiB"),
        Key{"trains",
            &TcpSpec::trains,
            BoolValue(),
            "such a burst is one packet of the simulator, as long on links and in queues as its "
            "segments, see :doc:`fast-forward`"},
        Key{"small_queues",
            &TcpSpec::smallQueues,
            BoolValue(),
            "about a millisecond of a connection's data waits in its own host, no more"},
        Key{"window_validation",
            &TcpSpec::windowValidation,
            BoolValue(),
            "the congestion window grows only when it is the limit"},
        Key{"idle_restart",
            &TcpSpec::idleRestart,
            BoolValue(),
            "the congestion window shrinks in pauses"},
        Key{"hystart",
            &TcpSpec::hystart,
            BoolValue(),
            "``cubic``: slow start ends when delays show a queue"},
        Key{"rack",
            &TcpSpec::rack,
            BoolValue(),
            "losses are found by time, and by a probe when the last ACK is overdue"},
        Key{"ack_jitter",
            &TcpSpec::ackJitter,
            TimeValue(Time(0)),
            "mean time in which a host acknowledges a burst, exponentially distributed"},
    };
    return KEYS;
}

/// A variant, or a map.
TcpSpec
ReadTcp(const YamlField& tcp, TcpSpec spec)
{
    if (!tcp.IsMap())
    {
        spec.variant = tcp.GetChoice(TcpVariantNames(), "a map with the key variant");
        spec.delayedAckTimeout = DefaultDelayedAckTimeout(spec.variant);
        return spec;
    }
    tcp.CheckKeys(NamesOf(TcpKeys()), ScenarioPaths());
    if (const auto field = tcp.Get("variant"))
    {
        spec.delayedAckTimeout = DefaultDelayedAckTimeout(field.GetChoice(TcpVariantNames()));
    }
    ReadKeys(tcp, TcpKeys(), spec);
    return spec;
}

void
ReadTcpKey(const YamlField& network, NetworkSpec& spec)
{
    if (const auto tcp = network.Get("tcp"))
    {
        spec.tcp = ReadTcp(tcp, spec.tcp); // from what the transport prescribes
    }
}

KeyJson
EchoTcpKey(const NetworkSpec& spec)
{
    return EchoKeys(TcpKeys(), spec.tcp);
}

KeyShape
TcpShape()
{
    const auto keys = Describe(TcpKeys());
    return {"a variant, or a map with the keys below",
            AnySchema({WordSchema(TcpVariantNames()), MapSchema(keys)}),
            keys,
            [](const KeyJson& echo) { return echo["variant"].get<std::string>(); }};
}

} // namespace

const Keys<NetworkSpec>&
NetworkKeys()
{
    static const auto NAME = NameValue("the name of a host");
    static const Keys<NetworkSpec> KEYS{
        Key{"topology",
            &NetworkSpec::topology,
            TopologyValue(),
            "who is connected to whom, see :doc:`networks` and :doc:`extending`"}
            .Turn(-1),
        Key{"transport",
            &NetworkSpec::transport,
            WordValue({"linux", "plain", "ideal"}),
            "``linux``: hosts send as Linux does, see :doc:`tcp`; ``plain``: as |ns3|'s TCP does; "
            "``ideal``: plain, and queues that never drop, for exact tests"}
            .Then([](NetworkSpec& spec) { UseTransport(spec.transport, spec); })
            .Turn(-1),
        Key{"rate", &NetworkSpec::rate, RateValue(), "of every link, each direction"},
        Key{"delay", &NetworkSpec::delay, TimeValue(Time(0)), "propagation on every link"},
        Key{"mtu", &NetworkSpec::mtu, MtuValue(), "bytes of an IP packet"},
        Key{"queue",
            &NetworkSpec::queue,
            QueueValue(),
            "of every switch port; a size is ``drop_tail``, ``0B`` never drops"},
        Key{"host_queue", &NetworkSpec::hostQueue, QueueValue(), "of every host's port"},
        Key{"hosts",
            &NetworkSpec::hosts,
            TableValue(LinkValue(), "a map of links by host"),
            "links of single hosts"}
            .Turn(-1)
            .Table(),
        Key{"colocate",
            &NetworkSpec::colocate,
            TableValue(NAME, "a map of hosts, such as {ps0: worker0}"),
            "who lives on whose host"}
            .Turn(-1)
            .Table(),
        Key{"extra_hosts",
            &NetworkSpec::extraHosts,
            ListValue(NAME, "a list of names"),
            "names of hosts that only background flows use"}
            .Turn(-1),
        Key{"tcp",
            ReadTcpKey,
            EchoTcpKey,
            TcpShape(),
            "the transport of the packet engine, and what is not as ``transport`` has it"}
            .AlsoMap(),
        Key{"background",
            &NetworkSpec::background,
            ListValue(BackgroundValue(), "a list of flows"),
            "flows that are not of a job"},
    };
    return KEYS;
}

} // namespace ns3::dml
