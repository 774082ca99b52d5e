/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How well speeds of shared CPUs are predicted, and what that is worth: LB-BSP's Algorithm 1 alone,
// without a network, on the 32 machines of the paper's Table 2, whose speeds change at random or,
// with --trace, as those of a real machine. Prints what Table 3 has: the error of the predictions,
// and the time of an iteration over that of equal batch sizes. Means over replications with 95 %
// intervals; and how much less both are than with the last speed, in per cent, from replication to
// replication.

#include "ns3/command-line.h"
#include "ns3/dml-analytical-batch-size.h"
#include "ns3/dml-arima-speed.h"
#include "ns3/dml-confidence.h"
#include "ns3/dml-ema-speed.h"
#include "ns3/dml-error.h"
#include "ns3/dml-last-speed.h"
#include "ns3/dml-lstm-speed.h"
#include "ns3/dml-narx-speed.h"
#include "ns3/dml-resource-changes.h"
#include "ns3/dml-rnn-speed.h"
#include "ns3/dml-speed-product.h"
#include "ns3/dml-speed-trace-reader.h"
#include "ns3/dml-speed-trace.h"
#include "ns3/dml-trained-speed.h"
#include "ns3/dml-transient-spikes.h"
#include "ns3/dml-usage-trace-reader.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t BATCH = 128;         // ResNet-32's, section 5.3
constexpr double SAMPLES_PER_CORE = 16; // per second: one of 8 cores computes BATCH in 1 s

/// What disturbs the machines.
struct Disturbance
{
    std::string name;
    double gap;       //!< seconds between spikes
    double length;    //!< seconds
    SpeedRange speed; //!< in a spike
};

constexpr double CHANGE = 60; // seconds from one lasting change to the next, in the mean
const SpeedRange SHARE{0.2, 1};
const std::vector<Disturbance> DISTURBANCES{{"no spikes", 1e9, 1, {1, 1}},
                                            {"spikes of 1 s every 30 s", 30, 1, {0.2, 0.8}},
                                            {"spikes of 1 s every 3 s", 3, 1, {0.2, 0.8}}};

struct Machine
{
    double rate;                              //!< samples/s when all of it is free
    std::shared_ptr<const DeviceSpeed> speed; //!< share of that
};

/// Makes the machines of a replication.
using MachineMaker = std::function<std::vector<Machine>(uint32_t seed, uint32_t replication)>;

/// Table 2: 17 m4.2xlarge, 10 c5.2xlarge and 2 r4.2xlarge have 8 cores; 2 m4.4xlarge 16; 1
/// m4.xlarge 4.
std::vector<uint32_t>
ListCores()
{
    std::vector<uint32_t> cores(29, 8);
    cores.insert(cores.end(), {16, 16, 4});
    return cores;
}

std::vector<Machine>
MakeMachines(const Disturbance& disturbance, uint32_t seed, uint32_t replication)
{
    const auto cores = ListCores();
    std::vector<Machine> machines;
    for (std::size_t i = 0; i < cores.size(); ++i)
    {
        const RngStream changes(seed, ResourceChanges::STREAM_BASE + i, replication);
        const RngStream spikes(seed, TransientSpikes::STREAM_BASE + i, replication);
        machines.push_back(
            {cores[i] * SAMPLES_PER_CORE,
             MultiplySpeeds({std::make_shared<ResourceChanges>(CHANGE, SHARE, changes),
                             std::make_shared<TransientSpikes>(disturbance.gap,
                                                               disturbance.length,
                                                               disturbance.speed,
                                                               spikes)})});
    }
    return machines;
}

/// @param file a trace of speeds; or with @p usage, names of its columns of time, use of the
/// processor and of the memory, one of a cluster @return what changed
std::vector<SpeedChange>
ReadTrace(const std::string& file, const std::string& usage)
{
    if (usage.empty())
    {
        return ReadSpeedTrace(file, true);
    }
    UsageTraceFormat format;
    std::istringstream names(usage);
    std::getline(names, format.time, ',');
    std::getline(names, format.cpu, ',');
    std::getline(names, format.memory);
    return ReadUsageTrace(file, format);
}

/// A speed as it is from some moment on.
class LaterSpeed : public DeviceSpeed
{
  public:
    LaterSpeed(std::shared_ptr<const DeviceSpeed> speed, double moment)
        : m_speed(std::move(speed)),
          m_moment(moment)
    {
    }

    SpeedPhase At(double time) const override
    {
        SpeedPhase phase = m_speed->At(m_moment + time);
        // rounding must not end it at once
        phase.end = std::max(phase.end - m_moment, std::nextafter(time, HUGE_VAL));
        return phase;
    }

  private:
    std::shared_ptr<const DeviceSpeed> m_speed; //!< from 0 on
    double m_moment;                            //!< seconds
};

/// All machines follow a trace, each from another moment on, and again when it has ended.
std::vector<Machine>
MakeTracedMachines(const std::vector<SpeedChange>& trace, uint32_t seed, uint32_t replication)
{
    // the last row holds as long as the one before, or a second if it is the only one
    const double last = trace.back().start;
    const double period = trace.size() > 1 ? 2 * last - trace[trace.size() - 2].start : 1;
    const auto speed = std::make_shared<SpeedTrace>(trace, period);
    std::vector<Machine> machines;
    for (const uint32_t cores : ListCores())
    {
        RngStream random(seed, ResourceChanges::STREAM_BASE + machines.size(), replication);
        machines.push_back({cores * SAMPLES_PER_CORE,
                            std::make_shared<LaterSpeed>(speed, period * random.RandU01())});
    }
    return machines;
}

/// What a run is about.
struct Measure
{
    double error{0};     //!< root-mean-square, over the mean speed
    double iteration{0}; //!< seconds, in the mean
    double update{0};    //!< CPU seconds of this machine per Update(), in the mean
    double longest{0};   //!< the longest of them
};

/// Runs bulk-synchronous training; without a predictor all batch sizes stay.
class Training
{
  public:
    Training(std::vector<Machine> machines, const ObjectFactory& predictor, bool control)
        : m_machines(std::move(machines)),
          m_reports(m_machines.size())
    {
        ObjectFactory factory;
        factory.SetTypeId(AnalyticalBatchSize::GetTypeId());
        factory.Set("Predictor", ObjectFactoryValue(predictor));
        m_control = control ? factory.Create<BatchSizeControl>() : nullptr;
        for (uint32_t i = 0; i < m_machines.size(); ++i)
        {
            // the same as the control's own, to see what they say
            m_predictors.push_back(predictor.Create<SpeedPredictor>());
            m_predictors[i]->Prepare(i);
            m_reports[i].batch = BATCH;
        }
    }

    /// @param iterations in all @param first that is measured
    Measure Run(uint32_t iterations, uint32_t first)
    {
        Measure sum;
        double squares = 0;
        double speeds = 0;
        for (uint32_t iteration = 0; iteration < iterations; ++iteration)
        {
            double longest = 0;
            for (uint32_t i = 0; i < m_machines.size(); ++i)
            {
                const double speed = Step(i);
                if (iteration >= first)
                {
                    squares += std::pow(m_predicted[i] - speed, 2);
                    speeds += speed;
                }
                longest = std::max(longest, m_reports[i].seconds);
            }
            m_now += longest;
            const double seconds = Update();
            if (iteration >= first)
            {
                sum.iteration += longest;
                sum.update += seconds;
                sum.longest = std::max(sum.longest, seconds);
            }
        }
        const double count = iterations - first;
        const double steps = count * m_machines.size();
        return {std::sqrt(squares / steps) / (speeds / steps),
                sum.iteration / count,
                sum.update / count,
                sum.longest};
    }

  private:
    /// @return samples/s of a worker's step
    double Step(uint32_t i)
    {
        const Machine& machine = m_machines[i];
        WorkerReport& report = m_reports[i];
        const SpeedPhase phase = machine.speed->At(m_now);
        report.seconds = FindWorkSeconds(*machine.speed, m_now, report.batch / machine.rate);
        const double speed = report.batch / report.seconds;
        m_predictors[i]->Observe(speed, phase.cpu, phase.memory);
        return speed;
    }

    /// @return CPU seconds of this machine that the control took
    double Update()
    {
        m_predicted.clear();
        for (uint32_t i = 0; i < m_machines.size(); ++i)
        {
            const SpeedPhase phase = m_machines[i].speed->At(m_now);
            m_reports[i].cpu = phase.cpu;
            m_reports[i].memory = phase.memory;
            m_predicted.push_back(m_predictors[i]->Predict(phase.cpu, phase.memory));
        }
        if (!m_control)
        {
            return 0;
        }
        const std::clock_t start = std::clock();
        const auto batches = m_control->Update(m_reports);
        const std::clock_t end = std::clock();
        for (uint32_t i = 0; i < batches.size(); ++i)
        {
            m_reports[i].batch = batches[i];
        }
        return static_cast<double>(end - start) / CLOCKS_PER_SEC;
    }

    std::vector<Machine> m_machines;               //!< by worker
    std::vector<WorkerReport> m_reports;           //!< by worker
    Ptr<BatchSizeControl> m_control;               //!< may be null
    std::vector<Ptr<SpeedPredictor>> m_predictors; //!< by worker
    std::vector<double> m_predicted;               //!< of the step under way, by worker
    double m_now{0};                               //!< seconds: start of the step
};

/// What a predictor is worth, replication by replication.
struct Worth
{
    std::vector<std::optional<double>> error;  //!< root-mean-square, over the mean speed
    std::vector<std::optional<double>> share;  //!< time of an iteration, over that of equal batches
    std::vector<std::optional<double>> update; //!< ms of CPU per update, in the mean
    double longest{0};                         //!< ms of CPU of the longest one
};

/// @return how much less values are than others, in per cent, one by one
std::vector<std::optional<double>>
SavedPercent(const std::vector<std::optional<double>>& values,
             const std::vector<std::optional<double>>& others)
{
    std::vector<std::optional<double>> saved;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        saved.emplace_back(100 * (1 - *values[i] / *others[i]));
    }
    return saved;
}

/// Prints a mean, and its interval if there is one.
void
Print(const std::string& name, const std::vector<std::optional<double>>& values, int digits)
{
    const Confidence confidence = ComputeConfidence(values);
    std::cout << "  " << name << " " << std::setprecision(digits) << *confidence.mean;
    if (confidence.halfWidth)
    {
        std::cout << " +- " << *confidence.halfWidth;
    }
}

/// What a study is about.
struct Options
{
    uint32_t iterations{2000};
    uint32_t warmup{TrainedSpeed::DEFAULT_WARMUP}; //!< speeds before a predictor is first trained
    uint32_t replications{10};
    uint32_t seed{1};
    bool timing{false}; //!< print how long updates took
};

/// @return a predictor of some type for a replication
ObjectFactory
MakePredictor(TypeId type, const Options& options, uint32_t replication)
{
    ObjectFactory predictor;
    predictor.SetTypeId(type);
    if (type.IsChildOf(TrainedSpeed::GetTypeId()))
    {
        predictor.Set("Warmup", UintegerValue(options.warmup));
    }
    if (type.IsChildOf(NetworkSpeed::GetTypeId()))
    {
        predictor.Set("Seed", UintegerValue(options.seed));
        predictor.Set("Replication", UintegerValue(replication));
    }
    return predictor;
}

/// Trains in each replication. @param control whether batch sizes change
std::vector<Measure>
RunAll(const MachineMaker& machines, TypeId type, bool control, const Options& options)
{
    std::vector<Measure> measures;
    for (uint32_t replication = 0; replication < options.replications; ++replication)
    {
        measures.push_back(Training(machines(options.seed, replication),
                                    MakePredictor(type, options, replication),
                                    control)
                               .Run(options.iterations, options.warmup + 1));
    }
    return measures;
}

/// @param measures of a predictor @param equal without one @return what it is worth
Worth
Compare(const std::vector<Measure>& measures, const std::vector<Measure>& equal)
{
    Worth worth;
    for (std::size_t replication = 0; replication < measures.size(); ++replication)
    {
        const Measure& measure = measures[replication];
        worth.error.emplace_back(measure.error);
        worth.share.emplace_back(measure.iteration / equal[replication].iteration);
        worth.update.emplace_back(1e3 * measure.update);
        worth.longest = std::max(worth.longest, 1e3 * measure.longest);
    }
    return worth;
}

const std::vector<std::pair<std::string, TypeId>>&
Predictors()
{
    static const std::vector<std::pair<std::string, TypeId>> ALL{
        {"last", LastSpeed::GetTypeId()},
        {"ema", EmaSpeed::GetTypeId()},
        {"arima", ArimaSpeed::GetTypeId()},
        {"rnn", RnnSpeed::GetTypeId()},
        {"lstm", LstmSpeed::GetTypeId()},
        {"narx", NarxSpeed::GetTypeId()},
    };
    return ALL;
}

/// Prints a line for each predictor.
void
Study(const std::string& name, const MachineMaker& machines, const Options& options)
{
    std::cout << name << "\n" << std::fixed;
    const auto equal = RunAll(machines, LastSpeed::GetTypeId(), false, options);
    std::optional<Worth> last;
    for (const auto& [predictor, type] : Predictors())
    {
        const Worth worth = Compare(RunAll(machines, type, true, options), equal);
        std::cout << "  " << std::left << std::setw(5) << predictor << std::right;
        Print("error/mean speed", worth.error, 3);
        Print("iteration/BSP", worth.share, 3);
        if (last)
        {
            Print("less than last, %: error", SavedPercent(worth.error, last->error), 1);
            Print("iteration", SavedPercent(worth.share, last->share), 1);
        }
        else
        {
            last = worth;
        }
        if (options.timing)
        {
            Print("ms of CPU per update", worth.update, 3);
            std::cout << ", longest " << worth.longest;
        }
        std::cout << std::endl;
    }
}

void
PrintHeading(const Options& options)
{
    std::cout << options.replications << " replications, iterations " << options.warmup + 2
              << " to " << options.iterations << "\n";
}

/// @throws InputError if the file is no such trace
void
StudyTrace(const std::string& file, const std::string& usage, const Options& options)
{
    const auto trace = ReadTrace(file, usage);
    PrintHeading(options);
    Study(
        file,
        [&trace](uint32_t seed, uint32_t replication) {
            return MakeTracedMachines(trace, seed, replication);
        },
        options);
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    std::string trace;
    std::string usage;
    CommandLine cmd(__FILE__);
    cmd.AddValue("iterations",
                 "Steps of training, at least 2 more than warmup",
                 options.iterations);
    cmd.AddValue("warmup", "Speeds before predictors are first trained", options.warmup);
    cmd.AddValue("replications", "Seeded runs of each case", options.replications);
    cmd.AddValue("seed", "Seed of all randomness", options.seed);
    cmd.AddValue("trace", "A CSV file that machines follow, instead of chance", trace);
    cmd.AddValue("usage",
                 "Columns of a cluster's trace: TIME,CPU or TIME,CPU,MEMORY, in per cent used",
                 usage);
    cmd.AddValue("timing", "Print the CPU time of updates on this machine", options.timing);
    cmd.Parse(argc, argv);
    if (options.iterations < 2 || options.iterations - 2 < options.warmup ||
        options.replications == 0)
    {
        std::cerr << "dml-speed-predictors: found --warmup=" << options.warmup
                  << " --iterations=" << options.iterations
                  << " --replications=" << options.replications
                  << "; accepted: at least 2 iterations more than the warmup, at least 1 "
                     "replication\n";
        return 2;
    }

    if (!trace.empty())
    {
        try
        {
            StudyTrace(trace, usage, options);
        }
        catch (const InputError& error)
        {
            std::cerr << "dml-speed-predictors: " << error.what() << "\n";
            return 2;
        }
        return 0;
    }
    PrintHeading(options);
    for (const auto& disturbance : DISTURBANCES)
    {
        Study(
            disturbance.name,
            [&disturbance](uint32_t seed, uint32_t replication) {
                return MakeMachines(disturbance, seed, replication);
            },
            options);
    }
    return 0;
}
