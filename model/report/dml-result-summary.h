/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESULT_SUMMARY_H
#define DML_RESULT_SUMMARY_H

#include "dml-engine-table.h"
#include "dml-expected-error.h"
#include "dml-rare.h"
#include "dml-schedule-summary.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-confidence.h"
#include "ns3/dml-crash-meter.h"
#include "ns3/dml-link-bias.h"
#include "ns3/dml-reordering.h"
#include "ns3/dml-share-meter.h"
#include "ns3/dml-skipped-totals.h"
#include "ns3/dml-stop-rule.h"
#include "ns3/dml-sync-meter.h"
#include "ns3/dml-throughput.h"
#include "ns3/dml-version.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Most configurations that have a line of their own in a report.
constexpr std::size_t MOST_REPORT_LINES = 12;

/**
 * @ingroup dml-report
 * @brief Under what conditions a run in real time was done.
 */
struct HostConditions
{
    double otherCpu{0};        //!< cores that everything else on the machine took, mean
    double meanLateness{0};    //!< of the timers, s
    double largestLateness{0}; //!< of the latest timer, s
    std::map<std::string, double> cpuSeconds; //!< of each endpoint's process, by its host
    std::vector<std::string> notes;           //!< what was not as the scenario says
    double busyBefore{0};    //!< cores that everything else took just before the run, mean
    double waitedForIdle{0}; //!< for which the run has waited that it takes fewer, s

    /// @return whether something else took so much of the machine that the run tells nothing
    bool IsDisturbed() const;
};

/**
 * @ingroup dml-report
 * @brief What one seeded run of one engine gave.
 */
struct ReplicationSummary
{
    uint32_t replication{0};       //!< from 0
    uint64_t seed{0};              //!< of this run's randomness
    double end{0};                 //!< of the last step of any worker, seconds from the start
    Throughput throughput;         //!< measured throughput, or why there is none
    Rare<StopSummary> stop;        //!< of a run that decided itself when to end
    std::vector<double> downlink;  //!< mean utilisation in [t0, t1] per server, NaN: unknown
    std::vector<double> uplink;    //!< mean utilisation in [t0, t1] per server, NaN: unknown
    std::vector<double> otherJobs; //!< samples/s of each other job in [t0, t1]
    uint64_t simulatedBytes{0};    //!< payload bytes of all transfers, both directions
    uint64_t ops{0};               //!< ops done by all workers in all steps
    uint64_t events{0};            //!< of the engine and its sharing rule, 0 if not counted
    std::optional<uint64_t> drops; //!< packets dropped in queues (packet engine)
    std::optional<uint64_t> retransmissions; //!< TCP segments sent again (packet engine)
    std::optional<uint64_t> timeouts;        //!< TCP's timers that ran out (packet engine)
    std::optional<uint64_t> recoveries;      //!< fast recoveries of TCP (packet engine)
    Rare<Reordering> reordering; //!< where connections have several paths (packet engine)
    Rare<SkippedTotals> skipped; //!< with `packet.fast_forward`
    std::string collapse; //!< how TCP collapsed, so that nothing here means much; empty: it did not
    ShareSummary shares;  //!< of the links, in [t0, t1] (packet engine)
    Rare<LinkBias> matched; //!< how far off fair-share is, unless it ran itself
    /// Of the steps after the warm-up; null where EngineSummary::Add() has taken it.
    std::shared_ptr<ScheduleSummary> schedule{std::make_shared<ScheduleSummary>()};
    ScheduleSummary::Means scheduleMeans{}; //!< of these, once it has taken it
    SyncSummary sync;                       //!< of the steps in [t0, t1]
    std::vector<CrashLoss> crashes;         //!< of workers, in order of time
    std::vector<ServerLoss> serverLosses;   //!< with servers that crashed, likewise
    bool workersAlike{true};         //!< all workers compute on the same, and as large a batch
    Rare<HostConditions> host;       //!< what the machine did besides (host engine)
    std::vector<double> completions; //!< as TensorMeter::GetMeanCompletions()
    double completionStep{0};        //!< mean of the steps that these are of, s; NaN: unknown
    double wallSeconds{0};           //!< wall-clock time of the run
    double cpuSeconds{0};            //!< CPU time of the run

    /// @return means of the steps after the warm-up
    ScheduleSummary::Means GetScheduleMeans() const
    {
        return schedule ? schedule->GetMeans() : scheduleMeans;
    }
};

/**
 * @ingroup dml-report
 * @brief All replications of one engine for one configuration.
 */
struct EngineSummary
{
    std::deque<ReplicationSummary> replications; //!< in order

    /**
     * @brief A run has ended. Of those from the first one on without a gap, the schedules are put
     * together and go: they would be most of what a study keeps in memory.
     * @param run at its place among the replications
     */
    void Add(ReplicationSummary run);
    /// @return throughput over the replications, samples/s
    Confidence GetThroughput() const;
    /**
     * @brief Utilisation of the busiest server's link, mean over the replications.
     * @param direction of the link
     * @return 0 to 1; nothing if it is not known
     */
    std::optional<double> GetUtilisation(Direction direction) const;
    /// @return deviations of shares from 1 / n, means over the replications that have any
    ShareSummary GetShares() const;
    /// @return order of transfers and its effects, of all replications together
    ScheduleSummary GetSchedule() const;
    /// @return waiting and updates, of all replications together
    SyncSummary GetSync() const;
    /// @return sum of the CPU times, s
    double GetCpuSeconds() const;
    /// @return how many replications collapsed
    std::size_t CountCollapses() const;
    /// @return how far off fair-share's links are, in per cent, mean over the replications: the
    /// half-width is that of the replications or of blocks within them, whichever is larger
    Confidence GetMatched() const;

  private:
    ScheduleSummary m_schedule; //!< of the first runs together
    std::size_t m_taken{0};     //!< how many these are
};

/**
 * @param what the runs of one engine and configuration
 * @param against those of another one; null, as also @p what may be: it did not run
 * @return throughput of the first / the second - 1 with its interval, over the replications that
 * both ran, which have the same steps and start offsets, and by regression over the others of the
 * one that ran more
 */
RelativeDifference CompareRuns(const EngineSummary* what, const EngineSummary* against);

/**
 * @brief The name of a variant of a scenario.
 * @param variant key paths and values that a sweep set
 * @return them as "key=value, key=value"; of long values the beginning and a checksum
 */
std::string NameVariant(const std::vector<std::pair<std::string, std::string>>& variant);

/// @param servers number of parameter servers @return the words of titles for it
inline std::string
FormatServers(uint32_t servers)
{
    return servers > 0 ? std::to_string(servers) + " PS" : "all-reduce";
}

/**
 * @ingroup dml-report
 * @brief One configuration: a variant of the scenario with one number of workers.
 */
struct CaseSummary
{
    /// Key paths and values that a sweep set; empty without sweep.
    std::vector<std::pair<std::string, std::string>> variant;
    std::string model;                           //!< of the neural network
    uint32_t batch{1};                           //!< samples per step
    std::vector<std::string> tensors;            //!< names
    std::vector<std::string> devices;            //!< names
    uint32_t mtu{1500};                          //!< bytes of a packet
    uint32_t workers{1};                         //!< number of workers
    uint32_t parameterServers{1};                //!< number of parameter servers
    bool workersWait{false};                     //!< whether workers wait for each other
    std::map<EngineKind, EngineSummary> engines; //!< those that ran
    std::optional<double> cynthia;               //!< prediction after Cynthia, samples/s
    std::optional<double> lin;                   //!< prediction after Lin et al., samples/s
    ExpectedError expected;                      //!< how far off real runs of this kind were

    /// @param kind of an engine @return its runs, or null if there are none
    const EngineSummary* FindEngine(EngineKind kind) const;
    /// @param trait of engines @return the first one with it that ran, or null
    const EngineSummary* FindEngineThat(EngineTrait trait) const;
    /// @param comparison two engines @return arithmetic mean of the first / the second - 1, over
    /// the replications that both ran
    Confidence GetRelativeError(const EngineComparison& comparison) const;
    /// @param comparison two engines @return the first / the second - 1 with its interval, as
    /// CompareRuns()
    RelativeDifference GetDifference(const EngineComparison& comparison) const;
    /// @return engines that ran
    EngineSet GetEngines() const;
    /// @return NameVariant() of the variant
    std::string GetVariantName() const;
    /// @return number of workers and variant, such as "W=4, network.rate=10Gbps"
    std::string GetName() const;
};

/**
 * @ingroup dml-report
 * @brief Everything that summary.json holds and the table shows.
 */
struct RunSummary
{
    ProgramVersion program;          //!< version that made it
    std::string name;                //!< of the scenario
    std::string model;               //!< of the neural network, of the first variant
    uint32_t batch{1};               //!< samples per step, of the first variant
    nlohmann::ordered_json scenario; //!< echo of the scenario, every key with its value
    std::vector<std::string> notes;  //!< remarks for the reader, such as what was scaled down
    std::vector<CaseSummary> cases;  //!< in the order in which they are shown
    std::size_t missingRuns{0};      //!< runs of the study that are not done
    /// Wall-clock time of the whole study so far; none if other commands did its runs.
    std::optional<double> wallSeconds{0};

    /// @return engines that have a place in tables and plots: the default ones, and any that ran
    EngineSet GetShownEngines() const;
};

/**
 * @ingroup dml-report
 * @brief How far the completions of the tensors are apart in two engines.
 *
 * The error of a tensor in one direction is its mean completion (TensorMeter) in the engine that
 * predicts minus that in the other one, divided by the mean step of the latter, so that a tensor
 * that is there after a millisecond counts for no more than that; its mean is taken over the
 * replications that both engines ran.
 */
struct TensorError
{
    double median{0};                              //!< of the absolute errors of all transfers
    double p90{0};                                 //!< 90th percentile of these (nearest rank)
    double max{0};                                 //!< largest of these
    double bias{0};                                //!< mean of the errors with their signs
    uint32_t worstTensor{0};                       //!< tensor of the largest
    Direction worstDirection{Direction::DOWNLINK}; //!< its direction
    double worst{0};                               //!< the largest with its sign
    uint32_t pairs{0};                             //!< replications compared
};

/// @param item a configuration @param comparison two engines @return errors of the first; nothing
/// if not both measured it
std::optional<TensorError> ComputeTensorError(const CaseSummary& item,
                                              const EngineComparison& comparison);

} // namespace ns3::dml

#endif /* DML_RESULT_SUMMARY_H */
