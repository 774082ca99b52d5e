/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A script of a user's own, which has dml only as it is installed: two nodes, a link, a job.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/dml-training-helper.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-helper.h"

#include <iostream>

using namespace ns3;
using namespace ns3::dml;

int
main()
{
    Profile profile;
    profile.model = "one layer";
    profile.batchSize = 32;
    profile.tensors = {{"weights", 1000000}};
    profile.devices = {{"cpu", 1}};
    const OpIndex pull = profile.graph.Add({"pull", OpKind::PULL, 0, 0});
    const OpIndex push = profile.graph.Add({"push", OpKind::PUSH, 0, 0});
    const OpIndex update = profile.graph.Add({"update", OpKind::UPDATE, 0, 0});
    profile.graph.AddDependency(pull, push);
    profile.graph.AddDependency(push, update);
    profile.samples = {{}, {}, {0.005}};
    profile.Validate();
    NodeContainer nodes(2);
    const auto devices = PointToPointHelper().Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    TrainingJob job(MakeTrainingRun(profile, 1, 1, 3));
    ParameterServerHelper(job).Install(nodes.Get(0));
    TrainingWorkerHelper(job).Install(nodes.Get(1));
    job.SetFinishedCallback([] { Simulator::Stop(); });
    Simulator::Run();
    job.Check();
    std::cout << "trained for " << Simulator::Now().GetSeconds() << " s\n";
    Simulator::Destroy();
}
