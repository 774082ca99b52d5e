/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-keys.h"

#include "dml-plugin-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-background-flow.h"
#include "ns3/dml-sharing-policies.h"

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_CORES = 1000000; // per server
constexpr uint64_t MAX_REPLICATIONS = 100000;
constexpr uint64_t MAX_TIMELINES = 100000; // files per worker
constexpr double MAX_ALPHA = 1;            // seconds per byte
constexpr double MAX_BETA = 1000000;       // seconds

constexpr uint64_t MAX_DRAWS = 1000; // predictions of a recorded step

/// A section: a map with keys that errors and suggestions know.
template <typename Whole, typename Part>
Key<Whole>
Section(const std::string& name,
        Part Whole::*member,
        const Keys<Part>& keys,
        const std::string& meaning)
{
    const auto texts = Describe(keys);
    Key<Whole> key{name, nullptr, nullptr, {"a map", MapSchema(texts), texts}, meaning};
    key.paths = KeyText::Paths::INSIDE;
    key.read = [name, member, &keys](const YamlField& root, Whole& whole) {
        const YamlField section = root.Get(name);
        if (section)
        {
            section.CheckKeys(NamesOf(keys), ScenarioPaths());
        }
        ReadKeys(section, keys, whole.*member);
    };
    key.echo = [member, &keys](const Whole& whole) { return EchoKeys(keys, whole.*member); };
    return key;
}

const Keys<MatchSpec>&
MatchKeys()
{
    static const Keys<MatchSpec> KEYS{
        Key{"draws",
            &MatchSpec::draws,
            IntegerValue(0, MAX_DRAWS),
            "how often each step of another engine's run is predicted, where shares of links are "
            "drawn at random; 0: none is predicted"},
    };
    return KEYS;
}

const Keys<FairShareSpec>&
FairShareKeys()
{
    static const Keys<FairShareSpec> KEYS{
        PluginKey("sharing",
                  &FairShareSpec::sharing,
                  &FairShareSpec::sharingAttributes,
                  SharingPolicies(),
                  "how flows share links, see :doc:`dml` and :doc:`extending`; ``auto``: what "
                  "queues and transport make of it",
                  {"auto"}),
        Key{"one_way_delay",
            &FairShareSpec::oneWayDelay,
            TimeValue(Time(0)),
            "between the last byte sent and received, of every channel; requests and answers then "
            "take no time. By default all take the delays of the links on their routes"}
            .Default("the delay of each route"),
        Key{"ps_cores",
            &FairShareSpec::serverCores,
            IntegerValue(0, MAX_CORES),
            "cores of a server shared by all workers, in both engines; 0: one for each worker"},
        Section("matched",
                &FairShareSpec::matched,
                MatchKeys(),
                "prediction of other engines' steps from the instants at which they began, see "
                ":doc:`matched-comparison`"),
    };
    return KEYS;
}

/// @return the key `replications` of an engine whose runs take long
template <typename Spec>
Key<Spec>
OwnReplications()
{
    return {"replications",
            &Spec::replications,
            IntegerValue(0, MAX_REPLICATIONS),
            "run only the first so many replications in this engine; 0: all"};
}

/// true, false, or {check: PART}.
Value<FastForwardSpec>
FastForwardValue()
{
    const std::string accepted = "true, false or {check: PART}, such as {check: 5%}";
    const auto part = PartValue(1, "0% to 100%");
    const std::vector<KeyText> parts{
        {"check",
         part,
         "part of the skips that is simulated instead, to see how far off they are"}};
    return {{accepted, AnySchema({BoolValue().schema, MapSchema(parts)}), parts},
            [accepted, part](const YamlField& field) {
                FastForwardSpec spec;
                if (!field.IsMap())
                {
                    if (!field.IsWord("true") && !field.IsWord("false"))
                    {
                        field.Fail(accepted);
                    }
                    spec.on = field.GetBool();
                    return spec;
                }
                field.CheckKeys({"check"});
                spec.on = true;
                const auto check = field.Get("check");
                if (!check)
                {
                    field.FailWith("found a map without check; accepted: " + accepted);
                }
                spec.check = part.read(check);
                return spec;
            },
            [](const FastForwardSpec& spec) -> KeyJson {
                if (spec.on)
                {
                    return {{"check", spec.check}};
                }
                return false;
            }};
}

const Keys<PacketSpec>&
PacketKeys()
{
    static const Keys<PacketSpec> KEYS{
        OwnReplications<PacketSpec>(),
        Key{"fast_forward",
            &PacketSpec::fastForward,
            FastForwardValue(),
            "skip what goes on at a steady rate, see :doc:`fast-forward`; ``true``: {check: 1%}"},
        Key{"collapsing_tcp",
            &PacketSpec::collapsingTcp,
            BoolValue(),
            "run ``bbr``, too, which collapses in a job's pauses in ns-3 (:doc:`networks`)"},
    };
    return KEYS;
}

const Keys<HostGrpcSpec>&
HostGrpcKeys()
{
    static const Keys<HostGrpcSpec> KEYS{
        Key{"speaker",
            &HostGrpcSpec::speaker,
            WordValue({"library", "dml"}),
            "``library``: Google's gRPC; ``dml``: the session of the packet engine"},
        Key{"bdp_probe",
            &HostGrpcSpec::bdpProbe,
            BoolValue(),
            "whether the library measures how large its windows should be"},
        Key{"lookahead",
            &HostGrpcSpec::lookahead,
            SizeValue(0, MAX_STREAM_WINDOW),
            "of a stream that the library lets the peer send ahead; 0: as it thinks right"},
    };
    return KEYS;
}

const Keys<ServerOverheadSpec>&
ServerOverheadKeys()
{
    static const Keys<ServerOverheadSpec> KEYS{
        Key{"alpha",
            &ServerOverheadSpec::alpha,
            NumberValue(MAX_ALPHA, "seconds per byte"),
            "what a server spends on each byte of a tensor that it receives"}
            .Default("that of ``overhead``"),
        Key{"beta",
            &ServerOverheadSpec::beta,
            NumberValue(MAX_BETA, "seconds"),
            "what it spends on each such tensor"}
            .Default("that of ``overhead``"),
    };
    return KEYS;
}

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
        Section("server",
                &OverheadSpec::server,
                ServerOverheadKeys(),
                "what servers spend, on the cores that ``fair_share.ps_cores`` gives them, where "
                "that is not what workers do, see :doc:`server-cost`")
            .EchoIfChanged(),
    };
    return KEYS;
}

const Keys<HostSpec>&
HostKeys()
{
    static const Keys<HostSpec> KEYS{
        OwnReplications<HostSpec>(),
        Key{"collectives",
            &HostSpec::collectives,
            WordValue({"dml", "gloo"}),
            "with ``all-reduce``: ``dml``, the messages of the packet engine, or ``gloo``, that "
            "library's ring, see :doc:`all-reduce`"},
        Key{"wait_for_idle",
            &HostSpec::waitForIdle,
            TimeValue(Time(0)),
            "how long a run waits before it begins, at most, while other processes take more than "
            "a quarter of a core; ``0s``: it looks once"},
        Key{"if_busy",
            &HostSpec::ifBusy,
            WordValue({"run", "refuse"}),
            "a run that has waited for so long begins all the same, or ends with an error"},
        Section("grpc", &HostSpec::grpc, HostGrpcKeys(), "who speaks gRPC, see :doc:`host-engine`")
            .Turn(1),
    };
    return KEYS;
}

const Keys<OutputSpec>&
OutputKeys()
{
    static const Keys<OutputSpec> KEYS{
        Key{"pcap",
            &OutputSpec::pcap,
            BoolValue(),
            "a pcap file per host (packet and host engine)"},
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
        Key{"versions",
            &OutputSpec::versions,
            BoolValue(),
            "``versions.csv``: on which version of the parameters each gradient was computed"},
        Key{"connections",
            &OutputSpec::connections,
            BoolValue(),
            "``connections.csv``: what TCP and HTTP/2 say of each connection every 100 ms "
            "(packet and host engine)"},
    };
    return KEYS;
}

/// Which others read: UnfoldSweep().
Key<Scenario>
SweepKey()
{
    const KeyJson any = KeyJson::object();
    Key<Scenario> key{"sweep",
                      nullptr,
                      nullptr,
                      {"a map of lists, or a list of cases",
                       AnySchema({TableSchema(ListSchema(any)), ListSchema(TableSchema(any))})},
                      "paths of keys and their values, all combinations, see :doc:`sweeps`"};
    key.paths = KeyText::Paths::INSIDE;
    return key.Table();
}

/// Add the paths of keys that are wanted, those of a map before those of the maps in it.
void
AddPaths(const std::vector<KeyText>& keys,
         const std::string& section,
         bool (*wanted)(const KeyText&),
         std::vector<std::string>& paths)
{
    for (const auto& key : keys)
    {
        if (wanted(key))
        {
            paths.push_back(JoinPath(section, key.name));
        }
    }
    for (const auto& key : keys)
    {
        if (key.paths != KeyText::Paths::NONE)
        {
            AddPaths(key.keys, JoinPath(section, key.name), wanted, paths);
        }
    }
}

std::vector<std::string>
ListPaths(bool (*wanted)(const KeyText&))
{
    std::vector<std::string> paths;
    AddPaths(DescribeScenario(), "", wanted, paths);
    return paths;
}

} // namespace

const Keys<Scenario>&
RootKeys()
{
    static const Keys<Scenario> KEYS{
        Key{"name", &Scenario::name, NameValue("a name"), "used in titles"},
        Key{"seed",
            &Scenario::seed,
            IntegerValue(1, BackgroundFlow::MAX_SEED),
            "of all that is random"},
        Key{"replications",
            &Scenario::replications,
            IntegerValue(1, MAX_REPLICATIONS),
            "seeded runs of each configuration"},
        Section("job", &Scenario::job, JobKeys(), "the training job"),
        Key{"other_jobs",
            &Scenario::otherJobs,
            ListValue(OtherJobValue(), "a list of jobs"),
            "jobs that share the network until the first one is done, see :doc:`networks`"},
        Section("transfer",
                &Scenario::transfer,
                TransferKeys(),
                "the order of transfers and flow control"),
        Section("overhead", &Scenario::overhead, OverheadKeys(), "parsing"),
        Section("network", &Scenario::network, NetworkKeys(), "topology, links and transport"),
        Section("fair_share", &Scenario::fairShare, FairShareKeys(), "of the fair-share engine")
            .Turn(1),
        Section("packet", &Scenario::packet, PacketKeys(), "of the packet engine").Turn(1),
        Section("host", &Scenario::host, HostKeys(), "of the host engine").Turn(1),
        FaultsKey().EchoBefore("fair_share"),
        Section("output",
                &Scenario::output,
                OutputKeys(),
                "what is written besides ``summary.json`` and ``steps.csv``")
            .Turn(1),
        SweepKey(),
    };
    return KEYS;
}

KeyJson
ScenarioToJson(const Scenario& scenario)
{
    return EchoKeys(RootKeys(), scenario);
}

const std::vector<KeyText>&
DescribeScenario()
{
    static const auto KEYS = Describe(RootKeys());
    return KEYS;
}

const std::vector<std::string>&
ScenarioPaths()
{
    static const auto PATHS =
        ListPaths([](const KeyText& key) { return key.paths != KeyText::Paths::INSIDE; });
    return PATHS;
}

const std::vector<std::string>&
ScenarioTables()
{
    static const auto TABLES = ListPaths([](const KeyText& key) { return key.isTable; });
    return TABLES;
}

} // namespace ns3::dml
