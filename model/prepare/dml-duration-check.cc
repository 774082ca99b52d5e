/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-duration-check.h"

#include "ns3/dml-host-role.h"
#include "ns3/dml-instant.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-scenario-check.h"

#include <algorithm>
#include <fmt/core.h>
#include <string>

namespace ns3::dml
{

namespace
{

/// A key that makes a device slow.
struct Factor
{
    std::string key;   //!< of the scenario
    double speed{1};   //!< in the mean over time
    double changes{0}; //!< of speed per second
};

/// @return what a trace comes to
Factor
DescribeTrace(const PreparedDevice& device)
{
    Factor factor{device.key + ".trace"};
    const double period = device.spec.trace.repeat.GetSeconds();
    if (period == 0)
    {
        factor.speed = device.trace->At(LAST_INSTANT_SECONDS).speed;
        return factor;
    }
    double work = 0;
    uint32_t phases = 0;
    for (double time = 0; time < period; ++phases)
    {
        const SpeedPhase phase = device.trace->At(time);
        work += phase.speed * (phase.end - time);
        time = phase.end;
    }
    factor.speed = work / period;
    factor.changes = phases / period;
    return factor;
}

double
GetMean(const SpeedRange& range)
{
    return (range.min + range.max) / 2;
}

/// @return what may make a device slow
std::vector<Factor>
ListFactors(const PreparedDevice& device, bool isServer)
{
    std::vector<Factor> factors;
    const DeviceSpec& spec = device.spec;
    if (isServer)
    {
        factors.push_back({device.key + ".speed", spec.speed}); // of a worker, its model has it
    }
    if (device.trace)
    {
        factors.push_back(DescribeTrace(device));
    }
    if (spec.changes.every > Time(0))
    {
        factors.push_back({device.key + ".changes",
                           GetMean(spec.changes.speed),
                           1 / spec.changes.every.GetSeconds()});
    }
    if (spec.spikes.every > Time(0))
    {
        const double gap = spec.spikes.every.GetSeconds();
        const double length = spec.spikes.length.GetSeconds();
        factors.push_back({device.key + ".spikes",
                           (gap + GetMean(spec.spikes.speed) * length) / (gap + length),
                           2 / (gap + length)});
    }
    return factors;
}

/// Looks at the ops of one job.
class DurationCheck
{
  public:
    DurationCheck(const Scenario& scenario, const StepPlan& plan, const JobDevices& devices)
        : m_scenario(scenario),
          m_plan(plan),
          m_devices(devices)
    {
    }

    void CheckParsing() const
    {
        for (OpIndex op = 0; op < m_plan.ops.size(); ++op)
        {
            const double seconds = m_plan.ops[op].parse ? m_plan.GetSeconds(0, op) : 0;
            if (seconds > MAX_OP_SECONDS)
            {
                RefuseParsing(op, seconds);
            }
        }
    }

    /// @param device of workers or servers
    void CheckDevice(const PreparedDevice& device, bool isServer) const
    {
        const auto factors = ListFactors(device, isServer);
        const double seconds = GetLongest(device, isServer) / GetSpeed(factors);
        const auto least =
            std::min_element(factors.begin(), factors.end(), [](const Factor& a, const Factor& b) {
                return a.speed < b.speed;
            });
        if (seconds > MAX_OP_SECONDS && least != factors.end())
        {
            Refuse(least->key, least->speed, seconds);
        }
        for (const auto& factor : factors)
        {
            if (seconds * factor.changes > MOST_PHASES)
            {
                throw ScenarioError(m_scenario,
                                    factor.key,
                                    fmt::format("{:.6g} changes of speed per second, {:.6g} in an "
                                                "op of {:.6g} s",
                                                factor.changes,
                                                seconds * factor.changes,
                                                seconds),
                                    "at most " + std::to_string(MOST_PHASES) + " in an op");
            }
        }
    }

    /// @param fault a slowdown for good @param victim whom it hits
    void CheckFault(const ProcessFaultSpec& fault, const HostRole& victim) const
    {
        const auto& classes = victim.isWorker ? m_devices.workers : m_devices.servers;
        const PreparedDevice none;
        const PreparedDevice& device =
            classes.empty() ? none : classes[victim.index % classes.size()];
        const double seconds = GetLongest(device, !victim.isWorker) /
                               GetSpeed(ListFactors(device, !victim.isWorker)) / fault.factor;
        if (seconds > MAX_OP_SECONDS)
        {
            Refuse(fault.key + ".to", fault.factor, seconds);
        }
    }

  private:
    static double GetSpeed(const std::vector<Factor>& factors)
    {
        double speed = 1;
        for (const auto& factor : factors)
        {
            speed *= factor.speed;
        }
        return speed;
    }

    /// @return seconds of the longest op that runs there, at full speed
    double GetLongest(const PreparedDevice& device, bool isServer) const
    {
        const double scale = device.model ? device.model->GetScale(m_devices.batch) : 1;
        double longest = 0;
        for (std::size_t i = 0; i < m_plan.seconds.size(); ++i)
        {
            const PlannedOp& op = m_plan.ops[i % m_plan.ops.size()];
            const PlannedResource& resource = m_plan.resources[op.resource];
            const bool there = IsAtServer(resource) == isServer;
            longest =
                there ? std::max(longest, m_plan.seconds[i] * (op.computes ? scale : 1)) : longest;
        }
        return longest;
    }

    static bool IsAtServer(const PlannedResource& resource)
    {
        return resource.kind != ResourceKind::CHANNEL && resource.at.kind == Peer::Kind::SERVER;
    }

    /// @param op that parses @param seconds it takes
    [[noreturn]] void RefuseParsing(OpIndex op, double seconds) const
    {
        const OverheadSpec& overhead = m_scenario.overhead;
        const bool atServer = IsAtServer(m_plan.resources[m_plan.ops[op].resource]);
        const double alpha = atServer ? overhead.GetServerAlpha() : overhead.alpha;
        const double beta = atServer ? overhead.GetServerBeta() : overhead.beta;
        const bool fixed = beta > seconds / 2;
        const bool own = atServer && (fixed ? overhead.server.beta : overhead.server.alpha);
        Refuse(std::string(own ? "overhead.server." : "overhead.") + (fixed ? "beta" : "alpha"),
               fixed ? beta : alpha,
               seconds);
    }

    [[noreturn]] void Refuse(const std::string& key, double number, double seconds) const
    {
        throw ScenarioError(
            m_scenario,
            key,
            fmt::format("{:.6g}, with which an op takes {:.6g} s", number, seconds),
            fmt::format("a number with which ops take {:.0f} s at most", MAX_OP_SECONDS));
    }

    const Scenario& m_scenario;  //!< for errors
    const StepPlan& m_plan;      //!< ops
    const JobDevices& m_devices; //!< of the job
};

bool
Crashes(const Scenario& scenario, const std::string& host)
{
    return std::any_of(scenario.processFaults.begin(),
                       scenario.processFaults.end(),
                       [&host](const ProcessFaultSpec& fault) {
                           return fault.kind == ProcessFaultSpec::Kind::CRASH && fault.host == host;
                       });
}

} // namespace

void
CheckDurations(const Scenario& scenario,
               uint32_t index,
               const StepPlan& plan,
               const JobDevices& devices)
{
    const DurationCheck check(scenario, plan, devices);
    check.CheckParsing();
    for (const auto& device : devices.workers)
    {
        check.CheckDevice(device, false);
    }
    for (const auto& device : devices.servers)
    {
        check.CheckDevice(device, true);
    }
    const auto& sweep = scenario.job.workers;
    const auto sizes = GetJobSizes(scenario, *std::max_element(sweep.begin(), sweep.end()));
    for (const auto& fault : scenario.processFaults)
    {
        const auto victim = FindHostRole(fault.host, sizes);
        // a worker that hangs until it crashes has an end
        if (fault.kind == ProcessFaultSpec::Kind::SLOW && fault.duration == Time::Max() && victim &&
            victim->job == index && !Crashes(scenario, fault.host))
        {
            check.CheckFault(fault, *victim);
        }
    }
}

} // namespace ns3::dml
