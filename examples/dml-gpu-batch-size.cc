/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// LB-BSP's Algorithm 2 alone, without a network: four GPUs with the curves of
// scenarios/lb-bsp/README.md start with 32 samples each. Prints how many each has, and how long a
// step takes.

#include "ns3/command-line.h"
#include "ns3/dml-iterative-batch-size.h"
#include "ns3/object-factory.h"
#include "ns3/rng-stream.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// The time of a step is max(floor, launch + perSample * batch).
struct Gpu
{
    std::string name;
    double launch;    //!< seconds
    double perSample; //!< seconds
    double floor;     //!< seconds
    uint32_t largest; //!< samples that its memory holds

    double GetTime(uint32_t batch) const
    {
        return std::max(floor, launch + perSample * batch);
    }
};

const std::vector<Gpu> GPUS{{"V100", 0.0411, 0.00877, 0.3217, 128},
                            {"M60", 0.1499, 0.03200, 0.1499, 64},
                            {"K80", 0.2307, 0.04926, 0.2307, 96},
                            {"K520", 0.3603, 0.07692, 0.3603, 32}};

constexpr uint32_t INITIAL_BATCH = 32;

void
Print(uint32_t iteration, const std::vector<WorkerReport>& reports, bool fineTuning)
{
    std::cout << std::setw(9) << iteration;
    for (const auto& report : reports)
    {
        std::cout << std::setw(5) << report.batch << std::fixed << std::setprecision(3)
                  << std::setw(7) << report.seconds;
    }
    std::cout << (fineTuning ? "  fine" : "") << "\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t iterations = 300;
    uint32_t every = 10;
    uint32_t lag = 0;
    double noise = 0;
    uint32_t seed = 1;
    CommandLine cmd(__FILE__);
    cmd.AddValue("iterations", "Steps of training", iterations);
    cmd.AddValue("every", "Steps from one line to the next", every);
    cmd.AddValue("lag", "Steps until a worker uses its new batch size", lag);
    cmd.AddValue("noise", "Each time is multiplied by 1 - noise to 1 + noise, uniformly", noise);
    cmd.AddValue("seed", "Seed of the noise", seed);
    cmd.Parse(argc, argv);

    ObjectFactory factory;
    factory.SetTypeId(IterativeBatchSize::GetTypeId());
    const auto control = factory.Create<IterativeBatchSize>();
    RngStream random(seed, 1, 0);
    std::vector<std::vector<uint32_t>> coming(lag + 1,
                                              std::vector<uint32_t>(GPUS.size(), INITIAL_BATCH));
    std::cout << "iteration";
    for (const auto& gpu : GPUS)
    {
        std::cout << std::setw(5) << gpu.name << std::setw(7) << "s";
    }
    std::cout << "\n";
    for (uint32_t iteration = 1; iteration <= iterations; ++iteration)
    {
        const auto batches = coming.front();
        coming.erase(coming.begin());
        std::vector<WorkerReport> reports(GPUS.size());
        for (std::size_t i = 0; i < GPUS.size(); ++i)
        {
            reports[i].batch = batches[i];
            reports[i].seconds =
                GPUS[i].GetTime(batches[i]) * (1 + noise * (2 * random.RandU01() - 1));
            reports[i].used = double(batches[i]) / GPUS[i].largest;
            reports[i].largest = GPUS[i].largest;
        }
        const bool wasFine = control->IsFineTuning();
        coming.push_back(control->Update(reports));
        if (iteration == 1 || iteration % every == 0 || wasFine != control->IsFineTuning())
        {
            Print(iteration, reports, control->IsFineTuning());
        }
    }
    return 0;
}
