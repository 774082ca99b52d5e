/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two workers train a model of one layer with one parameter server, in both engines, from a profile
// that is made here. Prints when each step ends:
//
//   PS ---- switch ---- worker 0
//               `------ worker 1

#include "ns3/command-line.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-packet-engine.h"

#include <iomanip>
#include <iostream>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// One tensor of 10 MB: pulled, used for 50 ms, its gradient pushed and applied in 5 ms.
Profile
MakeProfile()
{
    Profile profile;
    profile.model = "one layer";
    profile.batchSize = 32;
    profile.tensors = {{"weights", 10000000}};
    profile.devices = {{"gpu", 1}};
    const OpIndex pull = profile.graph.Add({"pull", OpKind::PULL, 0, 0});
    const OpIndex train = profile.graph.Add({"train", OpKind::COMPUTE, 0, NO_INDEX});
    const OpIndex push = profile.graph.Add({"push", OpKind::PUSH, 0, 0});
    const OpIndex update = profile.graph.Add({"update", OpKind::UPDATE, 0, 0});
    profile.graph.AddDependency(pull, train);
    profile.graph.AddDependency(train, push);
    profile.graph.AddDependency(push, update);
    profile.samples = {{}, {0.05}, {}, {0.005}};
    profile.Validate();
    return profile;
}

/// Prints steps as they end.
class StepPrinter : public RunListener<StepPrinter>
{
  public:
    void On(const StepRecord& record)
    {
        std::cout << "  worker " << record.worker << ", step " << record.step << ": " << std::fixed
                  << std::setprecision(4) << record.start << " to " << record.end << " s\n";
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t steps = 3;
    CommandLine cmd(__FILE__);
    cmd.AddValue("steps", "Training steps of each worker", steps);
    cmd.Parse(argc, argv);

    TrainingRun run = MakeTrainingRun(MakeProfile(), 2, 1, steps);
    run.startOffsets = {0, 0.06};

    NetworkSpec network;     // a star of 1 Gbit/s links
    network.queue.bytes = 0; // that never drops

    StepPrinter printer;
    std::cout << "fair-share\n";
    FairShareNetwork model;
    const double rate = GetGoodput(network.rate, GetWireFormat(network.mtu, false));
    model.links = MakeStarFlowNetwork({run.workers, 1}, rate, rate);
    FairShareEngine(run, model, &printer).Run();

    std::cout << "packet\n";
    PacketEngine(run, network, TransferSpec(), &printer).Run();
    return 0;
}
