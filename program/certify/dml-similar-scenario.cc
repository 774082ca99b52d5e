/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-similar-scenario.h"

#include "ns3/dml-host-checks.h"
#include "ns3/dml-host-names.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-run-cost.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-shared-buffer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Of a link between two network namespaces, roughly.
const Time OWN_DELAY = MicroSeconds(10);

/// Multiplies times and divides rates.
class Stretcher
{
  public:
    explicit Stretcher(double factor)
        : m_factor(factor)
    {
    }

    void Stretch(Time& time) const
    {
        if (time != Time::Max())
        {
            time = NanoSeconds(std::llround(m_factor * time.GetNanoSeconds()));
        }
    }

    void Stretch(double& seconds) const
    {
        seconds *= m_factor;
    }

    void Stretch(DataRate& rate) const
    {
        rate = DataRate(static_cast<uint64_t>(std::llround(rate.GetBitRate() / m_factor)));
    }

    void Stretch(LinkRates& rates) const
    {
        Stretch(rates.up);
        Stretch(rates.down);
    }

    void Stretch(LinkSpec& link) const
    {
        Stretch(link.rate);
        Stretch(link.delay);
    }

    template <typename T>
    void Stretch(std::optional<T>& value) const
    {
        if (value)
        {
            Stretch(*value);
        }
    }

    /// Samples per second.
    void Slow(double& rate) const
    {
        rate /= m_factor;
    }

  private:
    double m_factor; //!< at least 1
};

void
StretchNetwork(const Stretcher& by, NetworkSpec& network)
{
    by.Stretch(network.rate);
    by.Stretch(network.delay);
    by.Stretch(network.topology.trunk);
    for (auto& link : network.topology.links)
    {
        by.Stretch(link.link);
    }
    for (auto& [name, link] : network.hosts)
    {
        by.Stretch(link);
    }
    by.Stretch(network.tcp.minRto);
}

/// Speeds are those of the profile's device, which is slower itself.
void
StretchDevice(const Stretcher& by, DeviceSpec& device)
{
    if (device.kind == DeviceSpec::Kind::RATE)
    {
        by.Slow(device.rate);
    }
    if (device.kind == DeviceSpec::Kind::GPU)
    {
        by.Stretch(device.time.launch);
        by.Stretch(device.time.perSample);
        by.Stretch(device.time.floor);
    }
    for (auto* process : {&device.changes, &device.spikes})
    {
        by.Stretch(process->every);
        by.Stretch(process->length);
    }
}

void
StretchJob(const Stretcher& by, JobSpec& job)
{
    for (auto& [name, device] : job.devices)
    {
        StretchDevice(by, device);
    }
    by.Stretch(job.gradientGroups.horovod.cycle);
    by.Stretch(job.allReduce.reduction);
    by.Stretch(job.allReduce.rebuild);
    by.Stretch(job.shedding.cost);
    for (auto& offset : job.start.offsets)
    {
        by.Stretch(offset);
    }
    by.Stretch(job.checkpoint);
    by.Stretch(job.stepJitter.mean);
}

[[noreturn]] void
Refuse(const Scenario& scenario,
       const std::string& key,
       const std::string& found,
       const std::string& accepted)
{
    throw ScenarioError(scenario, key, found, accepted + ", for a certificate");
}

/// @return seconds that the first worker computes in a step, one op after the other
double
GetComputing(const PreparedJob& job, const StepPlan& plan)
{
    double seconds = 0;
    const std::size_t samples = plan.seconds.size() / plan.ops.size();
    for (std::size_t op = 0; op < plan.ops.size(); ++op)
    {
        for (uint32_t sample = 0; plan.ops[op].computes && sample < samples; ++sample)
        {
            seconds += plan.GetSeconds(sample, op) / samples;
        }
    }
    const PreparedDevice& device = job.devices.workers.front();
    return seconds * (device.model ? device.model->GetScale(job.devices.batch) : 1);
}

} // namespace

void
StretchProfile(Profile& profile, double factor)
{
    const auto stretch = [factor](std::vector<double>& seconds) {
        for (double& value : seconds)
        {
            value *= factor;
        }
    };
    std::for_each(profile.samples.begin(), profile.samples.end(), stretch);
    for (auto& bucket : profile.buckets)
    {
        stretch(bucket.recorded);
        stretch(bucket.transfer);
    }
}

Scenario
StretchScenario(Scenario scenario, double factor)
{
    const Stretcher by(factor);
    StretchNetwork(by, scenario.network);
    StretchJob(by, scenario.job);
    by.Stretch(scenario.transfer.sliceOverhead);
    by.Stretch(scenario.transfer.monitor);
    by.Stretch(scenario.overhead.alpha);
    by.Stretch(scenario.overhead.beta);
    by.Stretch(scenario.overhead.server.alpha);
    by.Stretch(scenario.overhead.server.beta);
    by.Stretch(scenario.fairShare.oneWayDelay);
    return scenario;
}

void
TakeOwnPorts(NetworkSpec& network)
{
    QueueSpec& queue = network.queue;
    if (queue.kind == QueueSpec::Kind::DROP_TAIL && queue.bytes > 0 &&
        network.transport == "linux" && network.tcp.gso.value_or(1) > 0)
    {
        queue.wholeBursts = true;
        network.tcp.trains = false;
    }
}

bool
TakeOwnDelays(NetworkSpec& network)
{
    bool changed = false;
    const auto take = [&changed](Time& delay) {
        if (GetAddedDelay(delay).IsZero() && delay > OWN_DELAY)
        {
            delay = OWN_DELAY;
            changed = true;
        }
    };
    const auto takeOfLink = [&take](LinkSpec& link) {
        if (link.delay)
        {
            take(*link.delay);
        }
    };
    take(network.delay);
    takeOfLink(network.topology.trunk);
    for (auto& link : network.topology.links)
    {
        takeOfLink(link.link);
    }
    for (auto& [name, link] : network.hosts)
    {
        takeOfLink(link);
    }
    return changed;
}

void
CheckStretchable(const Scenario& scenario)
{
    if (!scenario.otherJobs.empty())
    {
        Refuse(scenario, "other_jobs", Plural(scenario.otherJobs.size(), "job"), "one job");
    }
    if (!scenario.processFaults.empty())
    {
        Refuse(scenario, scenario.processFaults.front().key, "a fault", "none");
    }
    if (!scenario.network.faults.empty())
    {
        Refuse(scenario, scenario.network.faults.front().key, "a fault of links", "none");
    }
    if (!scenario.network.background.empty())
    {
        Refuse(scenario,
               "network.background",
               Plural(scenario.network.background.size(), "flow"),
               "none");
    }
    if (HasSharedBuffers(scenario.network))
    {
        Refuse(scenario,
               "network.queue",
               "a shared buffer, which real ports of this machine do not have",
               "ports with memories of their own");
    }
    if (!scenario.network.topology.attributes.empty())
    {
        Refuse(scenario,
               "network.topology",
               "attributes of a TypeId, whose rates and delays nobody can stretch",
               "a topology that has a name");
    }
    for (const auto& [name, device] : scenario.job.devices)
    {
        if (!device.trace.file.empty())
        {
            Refuse(scenario,
                   "job.devices." + name + ".trace",
                   "a trace of speeds, whose times cannot be stretched",
                   "a speed");
        }
    }
}

std::vector<std::string>
ListUnstretched(const Scenario& scenario)
{
    const JobSpec& job = scenario.job;
    const std::pair<const char*, const PluginAttributes*> plugins[]{
        {"job.protocol", &job.protocolAttributes},
        {"job.all_reduce.algorithm", &job.allReduce.algorithmAttributes},
        {"job.sync", &job.sync.attributes},
        {"job.batch_control", &job.batchControl.predictorAttributes},
        {"transfer.policy", &scenario.transfer.policyAttributes},
        {"fair_share.sharing", &scenario.fairShare.sharingAttributes}};
    std::vector<std::string> remarks;
    for (const auto& [key, attributes] : plugins)
    {
        if (!attributes->empty())
        {
            remarks.push_back(std::string(key) +
                              ": attributes of its TypeId are as they are, times among them too");
        }
    }
    return remarks;
}

SimilarityRatios
ComputeRatios(const PreparedScenario& prepared, uint32_t workers)
{
    const Scenario& scenario = prepared.scenario;
    const PreparedJob& job = prepared.GetJob();
    SimilarityRatios ratios;
    const auto network = prepared.GetNetwork(workers);
    const uint32_t from = network->FindHost(WorkerName(0, 0));
    const uint32_t to = network->FindHost(job.HasServers() ? ServerName(0, 0) : WorkerName(0, 1));
    if (from != ClusterNetwork::NO_NODE && to != ClusterNetwork::NO_NODE && from != to)
    {
        double delay = 0;
        double slowest = INFINITY;
        double port = 0;
        for (const DirectedLink link : network->FindRoute(from, to))
        {
            const NetworkLink& both = network->GetLinks()[link / 2];
            delay += both.delay.GetSeconds();
            slowest = std::min(slowest, static_cast<double>(network->GetRate(link).GetBitRate()));
            port = GetLargestContent(both.queues[link % 2]); // of the last one in the end
        }
        const double product = 2 * delay * slowest / 8;
        if (product > 0 && port > 0)
        {
            ratios.portOverProduct = port / product;
        }
    }
    const double segment = prepared.format.segment;
    if (TakesWindowTurns(scenario.transfer) && scenario.transfer.flowControl)
    {
        ratios.windowSegments = scenario.transfer.window / segment;
    }
    const double bytes = MakeLoad(job, workers).bytes;
    if (bytes > 0)
    {
        ratios.tensorSegments = bytes / segment;
        ratios.computingOverCommunication =
            GetComputing(job, *job.GetPlan(workers)) / (bytes / prepared.goodput);
    }
    return ratios;
}

} // namespace ns3::dml
