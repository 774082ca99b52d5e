/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What simulating a gigabyte costs: the packet engine against ns-3's own BulkSend and PacketSink.
// W workers and one parameter server on a star; in every step each worker gets BYTES from the
// server and then sends as many back. Prints one JSON object. The modes:
//
//   dml             the packet engine as `dml run` sets it up: AlexNet's tensors, scaled to BYTES;
//                   compute takes no time. With --observers, all that `dml run` records, in a
//                   temporary folder.
//   bulk-send       BulkSend and PacketSink on the same nodes, links, queues and TCP settings.
//                   The same: bytes in each direction, number of connections that send at a time,
//                   start (all together), a worker sends when it has got all. SendSize is TCP's
//                   segment size, which takes the fewest instructions. Different: a new
//                   connection per step and direction (BulkSend closes when it is done); up to 1 ms
//                   between getting and sending (a poll looks whether all has come); BYTES without
//                   HTTP/2 and gRPC. Routing is ns-3's, or with --engine-settings the packet
//                   engine's, which leaves what the applications cost.
//   out-of-the-box  the same with ns-3's helpers and all their defaults but rate, delay and MTU;
//                   --segment=1448 also sets TCP's segment size, whose default of 536 bytes alone
//                   costs more than twice.
//
// Compare instructions rather than seconds, and those of the simulation only:
//
//   valgrind --tool=callgrind --toggle-collect='ns3::Simulator::Run()' --callgrind-out-file=FILE
//       build/bench/dml-bench-packet --mode=dml --workers=4 --bytes=25MB
//
// It prints them as "Collected". A second run takes exactly as many.

#include "dml-bench-workload.h"
#include "dml-bulk-traffic.h"

#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/dml-configured-tcp-factory.h"
#include "ns3/dml-error.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-packet-run.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-study-case.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// What to measure.
struct Options
{
    std::string mode{"dml"};    //!< dml, bulk-send, out-of-the-box
    uint32_t workers{1};        //!< number of workers
    uint64_t bytes{25000000};   //!< per worker, step and direction
    uint32_t mtu{1500};         //!< bytes
    DataRate rate{"1Gbps"};     //!< of every link
    uint32_t steps{1};          //!< of every worker
    uint32_t seed{1};           //!< of the packet engine
    bool observers{false};      //!< dml: record what `dml run` records
    bool engineSettings{false}; //!< bulk-send: routing of the packet engine
    uint32_t segment{0};        //!< out-of-the-box: TCP's segment size; 0: the default
};

/// What it cost.
struct Cost
{
    uint64_t packets{0};  //!< put on links, each link counted, ACKs included
    uint64_t events{0};   //!< of the simulator
    double cpuSeconds{0}; //!< of the simulation, without set-up
    double endSeconds{0}; //!< simulated
};

/// Tensors as in torchvision's AlexNet, scaled to so many bytes; ops that take no time.
Profile
MakeProfile(uint64_t bytes)
{
    Profile profile;
    profile.model = "alexnet";
    profile.batchSize = 8;
    profile.devices = {{"cpu", 1}};
    const std::vector<uint64_t> sizes{92928,
                                      256,
                                      1228800,
                                      768,
                                      2654208,
                                      1536,
                                      3538944,
                                      1024,
                                      2359296,
                                      1024,
                                      16384,
                                      150994944,
                                      16384,
                                      67108864,
                                      4000,
                                      16384000};
    constexpr TensorIndex LARGEST = 11;
    const OpIndex train = profile.graph.Add({"train", OpKind::COMPUTE, 0, NO_INDEX});
    profile.samples = {{0}};
    for (TensorIndex tensor = 0; tensor < sizes.size(); ++tensor)
    {
        const std::string name = "t" + std::to_string(tensor);
        profile.tensors.push_back({name, sizes[tensor]});
        const OpIndex pull = profile.graph.Add({"pull/" + name, OpKind::PULL, NO_INDEX, tensor});
        const OpIndex push = profile.graph.Add({"push/" + name, OpKind::PUSH, NO_INDEX, tensor});
        profile.graph.AddDependency(pull, train);
        profile.graph.AddDependency(train, push);
        profile.samples.insert(profile.samples.end(), 2, {});
    }
    profile.Scale(static_cast<double>(bytes) / profile.GetTotalBytes());
    profile.tensors[LARGEST].bytes += bytes - profile.GetTotalBytes(); // what rounding left over
    profile.Validate();
    return profile;
}

NetworkSpec
MakeNetwork(const Options& options)
{
    NetworkSpec network;
    UseTransport("plain", network); // as BulkSendApplication has it
    network.rate = options.rate;
    network.mtu = options.mtu;
    network.queue.bytes = 0; // no losses: they would differ between the modes
    return network;
}

Cost
RunEngine(const Options& options)
{
    const BenchFolder folder;
    Scenario scenario;
    scenario.seed = options.seed;
    scenario.network = MakeNetwork(options);
    scenario.job.profile = folder.Write(MakeProfile(options.bytes));
    scenario.job.workers = {options.workers};
    scenario.job.steps = options.steps;
    scenario.job.warmup = 0;
    scenario.job.start.rule = "together";
    const PreparedScenario prepared = PrepareScenario(scenario, true);

    Cost cost;
    if (options.observers)
    {
        const ReplicationSummary summary =
            RunStudyCase(prepared, {0, options.workers, EngineKind::PACKET}, folder.GetPath(), {})
                .summary;
        cost.events = summary.events;
        cost.cpuSeconds = summary.cpuSeconds;
        cost.endSeconds = summary.throughput.t1;
        return cost;
    }
    const PreparedCase work = PrepareCase(prepared, options.workers, 0);
    const PacketRunSettings settings{work.runs,
                                     scenario.network,
                                     work.network,
                                     scenario.transfer,
                                     nullptr,
                                     options.seed};
    PacketRun run(settings);
    const double start = GetCpuSeconds();
    const PacketRunTotals totals = run.Run({});
    cost.cpuSeconds = GetCpuSeconds() - start;
    cost.events = totals.events;
    cost.endSeconds = totals.end;
    for (const auto& link : totals.links)
    {
        cost.packets += link.packets;
    }
    return cost;
}

Cost
RunBulk(const Star& star, const Options& options)
{
    BulkTraffic traffic(star, options.bytes, options.steps);
    Cost cost;
    const double start = GetCpuSeconds();
    Simulator::Run();
    cost.cpuSeconds = GetCpuSeconds() - start;
    cost.events = Simulator::GetEventCount();
    cost.endSeconds = Simulator::Now().GetSeconds();
    for (const auto& device : star.devices)
    {
        cost.packets += device->GetQueue()->GetTotalReceivedPackets();
    }
    Simulator::Destroy();
    return cost;
}

Cost
RunBulkSend(const Options& options)
{
    const NetworkSpec spec = MakeNetwork(options);
    Cluster cluster(spec.tcp,
                    std::make_shared<ClusterNetwork>(BuildNetwork(spec, {{options.workers, 1}})));
    const WireFormat format = GetWireFormat(spec.mtu, spec.tcp.timestamps);
    Config::SetDefault("ns3::BulkSendApplication::SendSize", UintegerValue(format.segment));
    if (!options.engineSettings)
    {
        cluster.UseGlobalRouting();
    }
    cluster.Create();
    Star star;
    star.protocol = ConfiguredTcpFactory::GetTypeId();
    NodeContainer nodes;
    for (uint32_t i = 0; i < cluster.GetNetwork().GetNodes().size(); ++i)
    {
        nodes.Add(cluster.GetNode(i));
    }
    for (uint32_t host = 0; host <= options.workers; ++host)
    {
        const std::string name = host == 0 ? ServerName(0, 0) : WorkerName(0, host - 1);
        star.hosts.push_back(cluster.GetNode(name));
        star.addresses.push_back(cluster.GetAddress(name).GetIpv4());
    }
    for (DirectedLink link = 0; link < cluster.GetNetwork().GetDirectedLinks(); ++link)
    {
        star.devices.push_back(cluster.GetDevice(link));
    }
    return RunBulk(star, options);
}

Cost
RunOutOfTheBox(const Options& options)
{
    if (options.segment > 0)
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(options.segment));
    }
    NodeContainer hosts(options.workers + 1);
    NodeContainer center(1);
    InternetStackHelper internet;
    internet.Install(hosts);
    internet.Install(center);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(options.rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(options.mtu));
    link.SetChannelAttribute("Delay", TimeValue(MakeNetwork(options).delay));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    Star star;
    for (uint32_t host = 0; host <= options.workers; ++host)
    {
        const NetDeviceContainer devices = link.Install(hosts.Get(host), center.Get(0));
        star.hosts.push_back(hosts.Get(host));
        star.addresses.push_back(addresses.Assign(devices).GetAddress(0));
        addresses.NewNetwork();
        for (uint32_t side = 0; side < 2; ++side)
        {
            star.devices.push_back(DynamicCast<PointToPointNetDevice>(devices.Get(side)));
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    return RunBulk(star, options);
}

Cost
RunMode(const Options& options)
{
    if (options.workers == 0 || options.bytes == 0 || options.steps == 0 || options.seed == 0)
    {
        throw InputError("workers, bytes, steps or seed 0; accepted: at least 1");
    }
    if (options.mode == "dml")
    {
        return RunEngine(options);
    }
    if (options.mode == "bulk-send")
    {
        return RunBulkSend(options);
    }
    if (options.mode == "out-of-the-box")
    {
        return RunOutOfTheBox(options);
    }
    throw InputError("--mode=" + options.mode + "; accepted: dml, bulk-send, out-of-the-box");
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    std::string bytes = "25MB";
    CommandLine cmd(__FILE__);
    cmd.AddValue("mode", "dml, bulk-send or out-of-the-box", options.mode);
    cmd.AddValue("workers", "Number of workers", options.workers);
    cmd.AddValue("bytes", "Bytes per worker, step and direction, such as 25MB", bytes);
    cmd.AddValue("mtu", "Bytes of an IP packet", options.mtu);
    cmd.AddValue("rate", "Of every link", options.rate);
    cmd.AddValue("steps", "Steps of every worker", options.steps);
    cmd.AddValue("seed", "Of the packet engine", options.seed);
    cmd.AddValue("observers", "dml: record what `dml run` records", options.observers);
    cmd.AddValue("engine-settings",
                 "bulk-send: routing of the packet engine",
                 options.engineSettings);
    cmd.AddValue("segment", "out-of-the-box: TCP's segment size; 0: default", options.segment);
    cmd.Parse(argc, argv);
    try
    {
        const auto size = ParseSize(bytes);
        if (!size)
        {
            throw InputError("--bytes=" + bytes + "; accepted: " + std::string(SIZE_FORM));
        }
        options.bytes = *size;
        const Cost cost = RunMode(options);
        const uint64_t moved = 2 * options.bytes * options.steps * options.workers;
        const nlohmann::ordered_json result{{"benchmark", "packet"},
                                            {"mode", options.mode},
                                            {"workers", options.workers},
                                            {"mtu", options.mtu},
                                            {"bytes", moved},
                                            {"packets", cost.packets},
                                            {"events", cost.events},
                                            {"simulated_seconds", cost.endSeconds},
                                            {"cpu_seconds", cost.cpuSeconds},
                                            {"cpu_seconds_per_gb", cost.cpuSeconds / moved * 1e9}};
        std::cout << result.dump() << std::endl;
    }
    catch (const InputError& error)
    {
        std::cerr << "dml-bench-packet: " << error.what() << '\n';
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "dml-bench-packet: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
