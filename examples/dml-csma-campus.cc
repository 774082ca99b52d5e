/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A network of the script's own: two Ethernet segments (CSMA) and two ways between their routers,
// which run RIP. The parameter server is on one segment, three workers on the other, beside a flow
// of UDP. When the first way goes down, RIP finds the second one, which is ten times slower:
//
//   ps ---|             ,-- 100 Mbit/s --.             |--- worker 0
//         |--- router A                   router B ---|--- worker 1
//   UDP --|             `--- 10 Mbit/s --'             |--- worker 2
//
// Prints when each step ends; --ascii and --pcap write what ns-3 writes of such a network.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/csma-helper.h"
#include "ns3/dml-training-helper.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-helper.h"

#include <exception>
#include <iomanip>
#include <iostream>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A tensor of 1 MB: pulled, used for 100 ms, its gradient pushed and applied in 5 ms.
Profile
MakeProfile()
{
    Profile profile;
    profile.model = "one layer";
    profile.batchSize = 32;
    profile.tensors = {{"weights", 1000000}};
    profile.devices = {{"cpu", 1}};
    const OpIndex pull = profile.graph.Add({"pull", OpKind::PULL, 0, 0});
    const OpIndex train = profile.graph.Add({"train", OpKind::COMPUTE, 0, NO_INDEX});
    const OpIndex push = profile.graph.Add({"push", OpKind::PUSH, 0, 0});
    const OpIndex update = profile.graph.Add({"update", OpKind::UPDATE, 0, 0});
    profile.graph.AddDependency(pull, train);
    profile.graph.AddDependency(train, push);
    profile.graph.AddDependency(push, update);
    profile.samples = {{}, {0.1}, {}, {0.005}};
    profile.Validate();
    return profile;
}

void
TakeFirstWayDown(NodeContainer routers)
{
    for (uint32_t i = 0; i < routers.GetN(); ++i)
    {
        routers.Get(i)->GetObject<Ipv4>()->SetDown(2);
    }
}

void
PrintStep(uint32_t worker, uint32_t step, Time start, Time end)
{
    std::cout << "worker " << worker << ", step " << step << ": " << std::fixed
              << std::setprecision(3) << start.GetSeconds() << " to " << end.GetSeconds() << " s\n";
}

/// Builds the network, trains, and checks that it has.
void
Train(int argc, char* argv[])
{
    uint32_t steps = 12;
    double down = 15;
    bool ascii = false;
    bool pcap = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("steps", "Training steps of each worker", steps);
    cmd.AddValue("down", "When the fast way goes down, s", down);
    cmd.AddValue("ascii", "Write dml-csma-campus.tr, with every packet", ascii);
    cmd.AddValue("pcap", "Write a pcap file for each device", pcap);
    cmd.Parse(argc, argv);
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    // ns-3 keeps three packets for an address that is being asked for, and all workers connect at
    // once.
    Config::SetDefault("ns3::ArpCache::PendingQueueSize", UintegerValue(100));

    // Nodes and links.
    NodeContainer routers(2);
    NodeContainer servers(1);
    NodeContainer senders(1);
    NodeContainer workers(3);
    CsmaHelper csma;
    csma.SetChannelAttribute("DataRate", StringValue("100Mbps"));
    csma.SetChannelAttribute("Delay", StringValue("5us"));
    const auto serverSegment = csma.Install(NodeContainer(routers.Get(0), servers, senders));
    const auto workerSegment = csma.Install(NodeContainer(routers.Get(1), workers));
    PointToPointHelper way;
    way.SetChannelAttribute("Delay", StringValue("1ms"));
    way.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    const auto fast = way.Install(routers);
    way.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    const auto slow = way.Install(routers);

    // Addresses and routes: the routers run RIP, the others send to their router.
    RipHelper rip;
    rip.ExcludeInterface(routers.Get(0), 1);
    rip.ExcludeInterface(routers.Get(1), 1);
    rip.SetInterfaceMetric(routers.Get(0), 3, 2); // of the slow way
    rip.SetInterfaceMetric(routers.Get(1), 3, 2);
    InternetStackHelper internet;
    internet.SetRoutingHelper(rip);
    internet.Install(routers);
    InternetStackHelper hosts;
    hosts.Install(NodeContainer(servers, senders, workers));
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.1.0", "255.255.255.0");
    const auto serverAddresses = addresses.Assign(serverSegment);
    addresses.SetBase("10.0.2.0", "255.255.255.0");
    const auto workerAddresses = addresses.Assign(workerSegment);
    addresses.SetBase("10.0.3.0", "255.255.255.0");
    addresses.Assign(fast);
    addresses.SetBase("10.0.4.0", "255.255.255.0");
    addresses.Assign(slow);
    Ipv4StaticRoutingHelper routes;
    for (const auto& [nodes, router] :
         {std::pair{NodeContainer(servers, senders), serverAddresses.GetAddress(0)},
          std::pair{workers, workerAddresses.GetAddress(0)}})
    {
        for (auto node = nodes.Begin(); node != nodes.End(); ++node)
        {
            routes.GetStaticRouting((*node)->GetObject<Ipv4>())->SetDefaultRoute(router, 1);
        }
    }
    Simulator::Schedule(Seconds(down), &TakeFirstWayDown, routers);

    // A flow that is in the way.
    OnOffHelper udp("ns3::UdpSocketFactory", InetSocketAddress(workerAddresses.GetAddress(1), 9));
    udp.SetConstantRate(DataRate("5Mbps"), 1000);
    udp.Install(senders).Start(Seconds(5));

    // The job, once RIP has found the ways.
    TrainingJob job(MakeTrainingRun(MakeProfile(), workers.GetN(), servers.GetN(), steps));
    ParameterServerHelper serverHelper(job);
    serverHelper.SetAttribute("Cores", UintegerValue(2));
    TrainingWorkerHelper workerHelper(job);
    auto serverApplications = serverHelper.Install(servers);
    auto workerApplications = workerHelper.Install(workers);
    serverApplications.Start(Seconds(10));
    workerApplications.Start(Seconds(10));
    for (auto worker = workerApplications.Begin(); worker != workerApplications.End(); ++worker)
    {
        (*worker)->TraceConnectWithoutContext("StepDone", MakeCallback(&PrintStep));
    }
    job.SetFinishedCallback([] { Simulator::Stop(); });

    if (ascii)
    {
        AsciiTraceHelper files;
        const auto stream = files.CreateFileStream("dml-csma-campus.tr");
        csma.EnableAsciiAll(stream);
        way.EnableAsciiAll(stream);
    }
    if (pcap)
    {
        csma.EnablePcapAll("dml-csma-campus");
        way.EnablePcapAll("dml-csma-campus");
    }
    Simulator::Stop(Seconds(600));
    Simulator::Run();
    job.Check();
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    try
    {
        Train(argc, argv);
    }
    catch (const std::exception& error)
    {
        std::cerr << "dml-csma-campus: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
