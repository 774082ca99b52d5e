/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-keys.h"

namespace ns3
{
namespace dml
{

namespace
{

constexpr uint64_t MAX_CORES = 1000000; // per server
constexpr uint64_t MAX_REPLICATIONS = 100000;
constexpr uint64_t MAX_TIMELINES = 100000; // files per worker
constexpr double MAX_ALPHA = 1;            // seconds per byte
constexpr double MAX_BETA = 1000000;       // seconds

} // namespace

const Keys<OverheadSpec>&
OverheadKeys()
{
    static const Keys<OverheadSpec> KEYS{
        Key{"alpha",
            &OverheadSpec::alpha,
            NumberValue(MAX_ALPHA, "seconds per byte"),
            "what a receiver spends on each byte of a tensor after its last one"},
        Key{"beta",
            &OverheadSpec::beta,
            NumberValue(MAX_BETA, "seconds"),
            "what it spends on each tensor"},
        Key{"parallel",
            &OverheadSpec::parallel,
            BoolValue(),
            "parsing has a resource of its own, not the receiver's"},
    };
    return KEYS;
}

const Keys<FairShareSpec>&
FairShareKeys()
{
    static const Keys<FairShareSpec> KEYS{
        Key{"sharing",
            &FairShareSpec::sharing,
            WordValue({"auto", "equal", "max-min", "two-ps", "fifo"}),
            "how flows share links; ``auto``: ``equal`` for one server in a star, else "
            "``max-min``"},
        Key{"one_way_delay",
            &FairShareSpec::oneWayDelay,
            TimeValue(Time(0)),
            "between the last byte sent and received"},
        Key{"ps_cores",
            &FairShareSpec::serverCores,
            IntegerValue(0, MAX_CORES),
            "cores of a server shared by all workers, in both engines; 0: one for each worker"},
    };
    return KEYS;
}

const Keys<PacketSpec>&
PacketKeys()
{
    static const Keys<PacketSpec> KEYS{
        Key{"replications",
            &PacketSpec::replications,
            IntegerValue(0, MAX_REPLICATIONS),
            "run only the first so many replications packet by packet; 0: all"},
    };
    return KEYS;
}

const Keys<OutputSpec>&
OutputKeys()
{
    static const Keys<OutputSpec> KEYS{
        Key{"pcap", &OutputSpec::pcap, BoolValue(), "a pcap file per host (packet engine)"},
        Key{"netanim",
            &OutputSpec::netanim,
            BoolValue(),
            "an animation of every packet for NetAnim (packet engine)"},
        Key{"flows",
            &OutputSpec::flows,
            BoolValue(),
            "what FlowMonitor measures of every flow, in XML (packet engine)"},
        Key{"trace", &OutputSpec::trace, BoolValue(), "``trace.json`` in Chrome's format"},
        Key{"timeline",
            &OutputSpec::timeline,
            IntegerValue(0, MAX_TIMELINES),
            "so many first steps of each worker in the form of TensorFlow's timelines"}
            .Turn(1),
        Key{"plots", &OutputSpec::plots, BoolValue(), "plots in SVG"},
        Key{"transfers",
            &OutputSpec::transfers,
            BoolValue(),
            "``transfers.csv``: every transfer of every step"}
            .EchoBefore("trace"),
        Key{"links",
            &OutputSpec::links,
            BoolValue(),
            "``links.csv``: utilisation of the servers' links over time"}
            .EchoBefore("trace"),
        Key{"ops", &OutputSpec::ops, BoolValue(), "``ops.csv``: start and end of every op"},
        Key{"shares",
            &OutputSpec::shares,
            BoolValue(),
            "``shares.csv``: how workers shared links (packet engine)"},
        Key{"gradients",
            &OutputSpec::gradients,
            BoolValue(),
            "``gradients.csv``: waits and times of each tensor's transfers"},
    };
    return KEYS;
}

} // namespace dml
} // namespace ns3
