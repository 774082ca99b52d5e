/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-runner.h"
#include "dml-study-words.h"

#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-congestion-keys.h"
#include "ns3/dml-error.h"
#include "ns3/dml-host-abilities.h"
#include "ns3/dml-host-checks.h"
#include "ns3/dml-host-libraries.h"
#include "ns3/dml-host-run.h"
#include "ns3/dml-idle-machine.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-link-connections.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// Seconds of a run before its first step: namespaces, the links' test, processes.
constexpr double HOST_SETUP = 1.5;

/// Bytes of an endpoint's process that it does not share with the others.
constexpr double ENDPOINT_BYTES = 10e6;

/// Seconds of a run after which people look for a shorter one, and of the one that they are told.
constexpr double LONG_RUN = 120;
constexpr double SHORT_RUN = 20;

/// @param seconds of a run at this @p scale @return how to have a shorter one; empty if it is short
std::string
SuggestScale(double seconds, double scale)
{
    if (seconds <= LONG_RUN)
    {
        return "";
    }
    const double wanted = scale * SHORT_RUN / seconds;
    const double digit = std::pow(10, std::floor(std::log10(wanted)));
    return fmt::format(
        "              (at most {}: --set job.scale={:g}, smaller tensors and ops)\n",
        RoughDuration(SHORT_RUN),
        digit * std::max(1.0, std::floor(wanted / digit)));
}

/// @return seconds from the first to the last step of a run, roughly
double
GuessRun(const PreparedScenario& prepared, uint32_t workers)
{
    return prepared.scenario.job.steps * GuessStep(prepared, workers);
}

/// @return whether Gloo does the collectives of a scenario
bool
UsesGloo(const Scenario& scenario)
{
    return scenario.host.collectives == "gloo" && scenario.job.parameterServers == 0;
}

/// @throws KeyError where a crash needs a launcher, which the host engine does not have
void
CheckCrashes(const Scenario& scenario)
{
    const auto& faults = scenario.processFaults;
    const bool crashes = std::any_of(faults.begin(), faults.end(), [](const auto& fault) {
        return fault.kind == ProcessFaultSpec::Kind::CRASH;
    });
    if (crashes && !scenario.job.allReduce.rebuild.IsZero())
    {
        throw KeyError("job.all_reduce.on_crash",
                       "found {rebuild: DURATION} and a crash; the host engine accepts stop; the "
                       "fair-share and packet engines have both");
    }
}

/// @throws KeyError for a congestion control that is a class: connections are the kernel's
void
CheckCongestion(const Scenario& scenario)
{
    for (const auto& [key, control] : ListCongestionKeys(scenario))
    {
        if (!CongestionControls().HasName(control.name))
        {
            throw KeyError(key,
                           "found " + control.name +
                               ", a class of ns-3; the host engine accepts what a kernel may "
                               "have: " +
                               JoinWords(CongestionControls().GetNames()));
        }
    }
}

/// @throws KeyError where Gloo is to do collectives that it is not given
void
CheckGloo(const Scenario& scenario)
{
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        if (scenario.host.collectives == "gloo" && IsSharded(GetJob(scenario, index)))
        {
            throw KeyError("host.collectives",
                           "found gloo with " + JobKey(index) + ".protocol " +
                               GetJob(scenario, index).protocol +
                               ", of which Gloo's ring does the all-reduce alone; accepted: dml");
        }
    }
}

/// @throws KeyError where switches are to add up, which those of this machine cannot
void
CheckAggregation(const Scenario& scenario)
{
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        const JobSpec& job = GetJob(scenario, index);
        if (UsesAggregators(job))
        {
            throw KeyError(
                JobKey(index) + ".all_reduce.algorithm",
                "found '" + job.allReduce.algorithm +
                    "', where switches add up, which this machine's kernel, that forwards "
                    "in the host engine, cannot; accepted: another algorithm, or "
                    "--engine=fair-share or packet");
        }
    }
}

/// Wait for the machine as a scenario says.
/// @param state told that it waits, and then that it goes on; may be empty
/// @return how busy it is when the run begins
/// @throws RunError if it is busy and the scenario refuses that
MachineUse
AwaitMachine(const HostSpec& spec, const std::function<void(const std::string&)>& state)
{
    const auto describe = [cores = sysconf(_SC_NPROCESSORS_ONLN)](const MachineUse& use) {
        return fmt::format("something else takes {:.1f} of this machine's {}",
                           use.cores,
                           Plural(cores, "core"));
    };
    const MachineUse use = WaitForIdleMachine(
        spec.waitForIdle.GetSeconds(),
        [&](const MachineUse& found, double left) {
            if (state)
            {
                state(fmt::format("waits {:.0f} s at most: {}", std::ceil(left), describe(found)));
            }
        });
    if (state)
    {
        state("");
    }
    if (use.IsBusy() && spec.ifBusy == "refuse")
    {
        throw RunError(fmt::format("{}, after waiting {:.0f} s for it to end; accepted: more "
                                   "time (host.wait_for_idle), or host.if_busy: run",
                                   describe(use),
                                   use.waited));
    }
    return use;
}

/// Runs of the host engine: real processes on this machine, in real time.
class HostRunner : public EngineRunner
{
  public:
    uint32_t GetReplications(const Scenario& scenario) const override
    {
        const uint32_t own = scenario.host.replications;
        return own > 0 ? own : EngineRunner::GetReplications(scenario);
    }

    void Check(const PreparedScenario& prepared, uint32_t workers) const override
    {
        try
        {
            CheckCrashes(prepared.scenario);
            CheckCongestion(prepared.scenario);
            CheckGloo(prepared.scenario);
            CheckAggregation(prepared.scenario);
            CheckGrpcLibrary(prepared.scenario.host.grpc, prepared.scenario.transfer);
            if (UsesGloo(prepared.scenario))
            {
                CheckGlooLibrary(prepared.scenario.job.allReduce.algorithm);
            }
            CheckHostNetwork(*prepared.GetNetwork(workers),
                             prepared.scenario.network,
                             GetHostAbilities());
        }
        catch (const KeyError& error)
        {
            throw InputError(LocateKey(prepared.scenario, error.GetKey()) + error.GetReason());
        }
    }

    /// The run has the machine for itself, so its CPU seconds are those on the clock.
    RunCost EstimateCost(const PreparedScenario& prepared,
                         const StudyCase& studyCase) const override
    {
        const double steps = double{1} * prepared.scenario.job.steps * studyCase.workers;
        RunCost run;
        run.bytes = MakeLoad(prepared.GetJob(), studyCase.workers).bytes * steps;
        run.cpuSeconds = HOST_SETUP + GuessRun(prepared, studyCase.workers);
        run.memory = BASE_BYTES + ENDPOINT_BYTES * (studyCase.workers + 1);
        return run;
    }

    void Run(EngineRun run,
             RunObserver& observer,
             const RunControl& control,
             ReplicationSummary& summary) const override
    {
        for (auto& job : run.work.runs)
        {
            job.jitter.clear(); // real processes are late of themselves
        }
        const Scenario& scenario = run.prepared.scenario;
        const ClusterNetwork& network = *run.work.network;
        const MachineUse before = AwaitMachine(scenario.host, control.state);
        const Stopwatch watch;
        const HostRunTotals totals = RunOnHost(
            {run.work.runs,
             network,
             scenario.transfer,
             scenario.host.grpc,
             [&] {
                 return MakeNetworkPlaces(network,
                                          scenario.network,
                                          ChooseCongestion(scenario.network, run.work.runs));
             },
             scenario.output.connections,
             UsesGloo(scenario),
             control.progress,
             control.stop,
             scenario.output.pcap && run.studyCase.replication == 0
                 ? GetCapturePrefix(scenario, run.studyCase, run.folder) + "-host"
                 : ""},
            observer);
        const EndpointSummary& processes = totals.processes;
        run.files->WriteNetwork(totals.links,
                                CountLinkConnections(run.prepared, run.studyCase.workers));
        summary.wallSeconds = watch.GetWallSeconds();
        summary.cpuSeconds = processes.cpuSeconds;
        summary.events = processes.timers;
        summary.retransmissions = processes.retransmissions;
        summary.timeouts = totals.tcp.timeouts;
        summary.recoveries = totals.tcp.recoveries;
        summary.host =
            HostConditions{totals.otherCpu,
                           processes.lateSeconds / std::max<uint64_t>(1, processes.timers),
                           processes.latestSeconds,
                           totals.cpuSeconds,
                           totals.notes,
                           before.cores,
                           before.waited};
        summary.drops = 0;
        for (const auto& link : totals.links)
        {
            *summary.drops += link.dropped;
        }
    }

    std::string Describe(const PreparedScenario& prepared, uint32_t /* ranks */) const override
    {
        const auto& workers = prepared.scenario.job.workers;
        const uint32_t most = *std::max_element(workers.begin(), workers.end());
        const double seconds = HOST_SETUP + GuessRun(prepared, most);
        return fmt::format(
                   "  host        {}, on this machine's kernel, one at a time: W = {} takes "
                   "about {}\n",
                   Plural(GetReplications(prepared.scenario), "replication"),
                   most,
                   RoughDuration(seconds)) +
               SuggestScale(seconds, prepared.scenario.job.scale);
    }

    std::string DescribeSpent(const PreparedScenario& /* first */,
                              const EngineSpent& spent,
                              bool /* sweep */) const override
    {
        return fmt::format("host: {} of CPU of its processes\n", SpentTime(spent.cpuSeconds));
    }
};

} // namespace

const EngineRunner&
GetHostRunner()
{
    static const HostRunner runner;
    return runner;
}

} // namespace ns3::dml
