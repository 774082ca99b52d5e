/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-devices.h"

#include "ns3/dml-compute-seconds.h"
#include "ns3/dml-cpu-batch-model.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-resource-changes.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-speed-product.h"
#include "ns3/dml-speed-trace-reader.h"
#include "ns3/dml-speed-trace.h"
#include "ns3/dml-transient-spikes.h"
#include "ns3/dml-usage-trace-reader.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// From the random streams of workers to those of servers.
constexpr uint64_t SERVER_STREAMS = 2000000;

/// @return the speed, which knows where it comes from
std::shared_ptr<const DeviceSpeed>
WithKey(const std::shared_ptr<DeviceSpeed>& speed, const std::string& key)
{
    speed->SetKey(key);
    return speed;
}

/// Fits the classes of devices of one job to its profile.
class DeviceFitter
{
  public:
    DeviceFitter(const Scenario& scenario, uint32_t index, const Profile& profile)
        : m_scenario(scenario),
          m_key(JobKey(index)),
          m_job(GetJob(scenario, index)),
          m_profile(profile),
          // devices are described for the whole job: they shrink with it
          m_seconds(GetComputeSeconds(profile) / m_job.scale)
    {
    }

    /// @return samples of each worker's first step
    uint32_t GetBatch() const
    {
        return m_job.batchSize > 0 ? m_job.batchSize : m_profile.batchSize;
    }

    /// @param name of a class, empty for the profile's device @return the class
    PreparedDevice Fit(const std::string& name) const
    {
        PreparedDevice device;
        if (!name.empty())
        {
            device.spec = m_job.devices.at(name);
            device.key = m_key + ".devices." + name;
        }
        device.model = MakeModel(name, device.spec);
        device.trace = ReadTrace(name, device.spec.trace);
        return device;
    }

    /// @throws InputError if a worker's first step does not fit its device
    void CheckFirstStep(const std::string& name, const PreparedDevice& device) const
    {
        const uint32_t batch = GetBatch();
        const uint32_t largest = device.model->GetLargestBatch();
        if (batch > largest)
        {
            throw Error("batch_size",
                        QuoteNumber(batch) + ", more samples than the memory of '" + name +
                            "' holds",
                        "an integer from 1 to " + std::to_string(largest));
        }
        const double longest = GetLongestOp() * device.model->GetScale(batch);
        if (longest > MAX_OP_SECONDS)
        {
            throw Error(
                "batch_size",
                fmt::format("{}, with which an op takes {:.6g} s", QuoteNumber(batch), longest),
                "one with which ops take 1000000 s at most");
        }
    }

  private:
    InputError Error(const std::string& key,
                     const std::string& found,
                     const std::string& accepted) const
    {
        return ScenarioError(m_scenario, m_key + "." + key, found, accepted);
    }

    std::shared_ptr<const BatchModel> MakeModel(const std::string& name,
                                                const DeviceSpec& spec) const
    {
        if (spec.kind == DeviceSpec::Kind::SPEED)
        {
            return std::make_shared<CpuBatchModel>(spec.speed * m_profile.batchSize,
                                                   spec.largestBatch);
        }
        if (m_seconds == 0)
        {
            throw Error("devices." + name,
                        "times for a profile in which workers compute nothing",
                        "a device with speed, or none");
        }
        if (spec.kind == DeviceSpec::Kind::RATE)
        {
            return std::make_shared<CpuBatchModel>(spec.rate * m_seconds, spec.largestBatch);
        }
        return std::make_shared<GpuBatchModel>(spec.time, m_seconds, spec.largestBatch);
    }

    /// @param key of the trace, which the errors name beside the place in its file
    static std::vector<SpeedChange> ReadChanges(const SpeedTraceSpec& spec,
                                                bool repeated,
                                                const std::string& key)
    {
        try
        {
            return spec.usage.time.empty() ? ReadSpeedTrace(spec.file, repeated)
                                           : ReadUsageTrace(spec.file, spec.usage);
        }
        catch (const InputError& error)
        {
            throw InputError(std::string(error.what()) + " (in the file of " + key + ")");
        }
    }

    std::shared_ptr<const DeviceSpeed> ReadTrace(const std::string& name,
                                                 const SpeedTraceSpec& spec) const
    {
        if (spec.file.empty())
        {
            return nullptr;
        }
        const bool repeated = spec.repeat > Time(0);
        const std::string key = m_key + ".devices." + name + ".trace";
        const auto changes = ReadChanges(spec, repeated, key);
        if (!repeated)
        {
            return WithKey(std::make_shared<SpeedTrace>(changes), key);
        }
        const double period = spec.repeat.GetSeconds();
        if (period <= changes.back().start)
        {
            throw Error(
                "devices." + name + ".trace.repeat",
                "a time at which the trace has not ended",
                fmt::format("a time after that of the last row, {:.6g} s", changes.back().start));
        }
        return WithKey(std::make_shared<SpeedTrace>(changes, period), key);
    }

    /// @return seconds of the longest op that workers compute, in any measured step
    double GetLongestOp() const
    {
        double longest = 0;
        for (OpIndex i = 0; i < m_profile.graph.GetSize(); ++i)
        {
            for (const double seconds : m_profile.samples[i])
            {
                longest = RunsOnDevice(m_profile.graph.Get(i).kind) ? std::max(longest, seconds)
                                                                    : longest;
            }
        }
        return longest;
    }

    const Scenario& m_scenario; //!< for errors
    std::string m_key;          //!< of the job
    const JobSpec& m_job;       //!< job with the devices
    const Profile& m_profile;   //!< of the job, after `scale`
    double m_seconds;           //!< compute seconds per step, before `scale`
};

/// @param stream number of the device's random streams
std::shared_ptr<const DeviceSpeed>
MakeSpeed(const PreparedDevice& device, uint32_t seed, uint32_t replication, uint64_t stream)
{
    const SpeedProcessSpec& changes = device.spec.changes;
    const SpeedProcessSpec& spikes = device.spec.spikes;
    std::vector<std::shared_ptr<const DeviceSpeed>> factors{device.trace};
    if (changes.every > Time(0))
    {
        factors.push_back(
            WithKey(std::make_shared<ResourceChanges>(
                        changes.every.GetSeconds(),
                        changes.speed,
                        RngStream(seed, ResourceChanges::STREAM_BASE + stream, replication)),
                    device.key + ".changes"));
    }
    if (spikes.every > Time(0))
    {
        factors.push_back(
            WithKey(std::make_shared<TransientSpikes>(
                        spikes.every.GetSeconds(),
                        spikes.length.GetSeconds(),
                        spikes.speed,
                        RngStream(seed, TransientSpikes::STREAM_BASE + stream, replication)),
                    device.key + ".spikes"));
    }
    return MultiplySpeeds(std::move(factors));
}

} // namespace

JobDevices
PrepareDevices(const Scenario& scenario, uint32_t index, const Profile& profile)
{
    const JobSpec& job = GetJob(scenario, index);
    const DeviceFitter fitter(scenario, index, profile);
    JobDevices devices;
    devices.profileBatch = profile.batchSize;
    devices.batch = fitter.GetBatch();
    const auto names = job.workerDevices.empty() ? std::vector<std::string>{""} : job.workerDevices;
    std::map<std::string, PreparedDevice> classes; // workers of one class share its model
    const auto fit = [&](const std::string& name) -> const PreparedDevice& {
        const auto known = classes.find(name);
        return known != classes.end() ? known->second
                                      : classes.emplace(name, fitter.Fit(name)).first->second;
    };
    for (const auto& name : names)
    {
        devices.workers.push_back(fit(name));
        fitter.CheckFirstStep(name, devices.workers.back());
    }
    for (const auto& name : job.serverDevices)
    {
        devices.servers.push_back(fit(name));
    }
    return devices;
}

void
SetDevices(const JobDevices& devices,
           uint32_t servers,
           uint32_t seed,
           uint32_t replication,
           uint32_t stream,
           TrainingRun& run)
{
    run.batchSize = devices.profileBatch;
    for (uint32_t worker = 0; !devices.workers.empty() && worker < run.workers; ++worker)
    {
        const PreparedDevice& device = devices.workers[worker % devices.workers.size()];
        run.compute.push_back({device.model,
                               MakeSpeed(device, seed, replication, stream + worker),
                               devices.batch,
                               device.spec.slots});
    }
    for (uint32_t server = 0; !devices.servers.empty() && server < servers; ++server)
    {
        const PreparedDevice& device = devices.servers[server % devices.servers.size()];
        const auto changing =
            MakeSpeed(device, seed, replication, SERVER_STREAMS + stream + server);
        const auto constant = device.spec.speed == 1
                                  ? nullptr
                                  : WithKey(std::make_shared<SpeedTrace>(std::vector<SpeedChange>{
                                                {0, device.spec.speed, 1, 1}}),
                                            device.key + ".speed");
        run.serverSpeeds.push_back(MultiplySpeeds({constant, changing}));
    }
}

void
SetReferenceDevice(const JobDevices& devices, TrainingRun& run)
{
    const PreparedDevice& device = devices.workers.front();
    run.batchSize = devices.profileBatch;
    run.compute = {{device.model, nullptr, devices.batch, device.spec.slots}};
}

} // namespace ns3::dml
