/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_H
#define DML_SCENARIO_H

#include "dml-batch-control-spec.h"
#include "dml-device-spec.h"
#include "dml-process-fault-spec.h"

#include "ns3/dml-host-grpc-spec.h"
#include "ns3/dml-negotiation.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-transfer-spec.h"
#include "ns3/dml-workers-per-host.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// How tensors are spread over the parameter servers (`job.placement`).
struct PlacementSpec
{
    std::string rule{"greedy"};            //!< "greedy", "round-robin" or "explicit"
    std::map<std::string, uint32_t> table; //!< server by tensor name, for "explicit"
};

/// Which profiled step each step replays (`job.sampling`).
struct SamplingSpec
{
    std::string rule{"random"}; //!< "random" (with replacement), "in-order" or "explicit"
    /// Sample indices per worker, repeated when a run is longer, for "explicit".
    std::vector<std::vector<uint32_t>> lists;
};

/// When the workers start (`job.start`).
struct StartSpec
{
    std::string rule{
        "staggered"};          //!< "staggered" (uniform over one step time), "together", "explicit"
    std::vector<Time> offsets; //!< one per worker, for "explicit"
};

/// By how much steps begin late (`job.step_jitter`), exponentially distributed.
struct StepJitterSpec
{
    std::optional<Time> mean; //!< of a process with a core of its own; none: by the transport
    /// Cores that all workers and servers of the job share, which then wait for each other; 0: each
    /// has its own.
    uint32_t cores{0};
    /// First steps with `start: together` are several times as late, as of processes that open
    /// connections and touch their memory for the first time.
    bool coldStart{true};
};

/// How workers agree which gradients are reduced, as with Horovod (`job.gradient_groups.horovod`).
struct HorovodSpec
{
    Time cycle{Seconds(Negotiation::CYCLE)};    //!< from cycle to cycle, above 0
    uint64_t threshold{Negotiation::THRESHOLD}; //!< most bytes reduced as one buffer; 0: each alone
    bool cache{true};                           //!< gradients get bits
    bool waits{false};                          //!< the next cycle waits for what was agreed on
};

/// Gradients that are handed to the network together (`job.gradient_groups`).
struct GradientGroupSpec
{
    static constexpr uint64_t DDP_BYTES = 25 * 1048576; //!< PyTorch's bucket_cap_mb
    static constexpr uint64_t DDP_FIRST = 1048576;      //!< PyTorch's kDefaultFirstBucketBytes

    /// "off", "bytes", "count", "layers", "ddp", "horovod" or "explicit"; "profile", as the profile
    /// was measured; or "auto": without servers as "profile" where it tells and else as "ddp", with
    /// servers "off"
    std::string rule{"off"};
    /// Bytes, gradients or layers that close a group, for "bytes", "count", "layers" and "ddp".
    uint64_t size{0};
    uint64_t first{0};      //!< bytes that close the first group, for "ddp"
    bool findUnused{false}; //!< for "ddp": reduces what a step has not used, too
    HorovodSpec horovod;    //!< for "horovod"
    std::vector<std::vector<std::string>> names; //!< tensors of each group, for "explicit"
};

/// How workers sum up gradients without servers (`job.all_reduce`).
struct AllReduceSpec
{
    std::string algorithm{"ring"};        //!< of CollectiveAlgorithms(): a name, or a TypeId
    PluginAttributes algorithmAttributes; //!< of a TypeId
    double reduction{0};                  //!< seconds per byte that is added up, >= 0
    uint32_t concurrent{1};     //!< collectives of a worker under way at the same time, at least 1
    std::string ranks{"racks"}; //!< order in which workers get ranks: "racks" or "listed"
    bool barrier{true};         //!< updates wait for all gradients of the step
    /// `on_crash`: from a crash until all who are left are up again; 0: the job stops.
    Time rebuild{0};
    uint32_t slots{16};    //!< in-network: chunks of a worker under way at the same time
    uint64_t chunk{65536}; //!< in-network: most bytes of a chunk
    std::string root{""};  //!< in-network: name of the switch that is the root; empty: any
};

/// What workers have shards of, and when they gather these (`job.sharded`): see ShardedProtocol.
struct ShardedSpec
{
    uint32_t stage{3};                   //!< 1: state of the optimizer, 2: gradients, 3: parameters
    bool reshardAfterForward{true};      //!< a unit is freed after its forward propagation
    std::string backwardPrefetch{"pre"}; //!< when the next unit is gathered: "pre", "post", "none"
    uint32_t limitAllGathers{2};         //!< units gathered at a time; 0: any number
    bool hybrid{false};                  //!< shards are of the workers of a host
};

/// How workers wait for each other (`job.sync`).
struct SyncSpec
{
    std::string rule{"async"};   //!< of SyncPolicies(): a name, or a TypeId
    PluginAttributes attributes; //!< of a TypeId
    uint32_t bound{3};           //!< ssp: steps that a worker may be ahead of the slowest
    uint32_t backups{1};         //!< backup: workers whose gradients an update does not wait for
};

/// Runs that end when they know their throughput (`job.steps: auto`).
struct AutoStepsSpec
{
    static constexpr uint32_t AT_MOST = 1000; //!< steps per worker, unless the scenario says

    bool on{false};          //!< whether runs decide themselves; JobSpec::steps is the most they do
    double target{0.02};     //!< half-width of the 95 % interval over the throughput, above 0
    bool detectWarmup{true}; //!< JobSpec::warmup does not count
};

/// The training job (`job`).
struct JobSpec
{
    std::string profile; //!< path of the profile, resolved against the scenario's folder
    std::string workload{"training"}; //!< or "inference": pulls and forward propagation only
    double scale{1}; //!< multiplies the profile's bytes and seconds, above 0 and at most 1
    std::vector<uint32_t> workers{1};    //!< numbers of workers to predict, each at least 1
    WorkersPerHost workersPerHost;       //!< workers that share a host
    uint32_t parameterServers{1};        //!< number of parameter servers; 0: without any
    PlacementSpec placement;             //!< the server of each tensor
    GradientGroupSpec gradientGroups;    //!< gradients that are sent together
    std::string protocol{"run-graph"};   //!< of Protocols(): a name, or a TypeId
    PluginAttributes protocolAttributes; //!< of a TypeId
    AllReduceSpec allReduce;             //!< without servers
    ShardedSpec sharded;                 //!< with the protocol sharded
    SyncSpec sync;                 //!< how workers wait for each other; bsp where steps overlap
    BatchControlSpec batchControl; //!< how batch sizes change, with "bsp" only
    SheddingSpec shedding;   //!< whether samples move within a step, with "bsp" and "ssp" only
    uint32_t steps{100};     //!< steps per worker, at least 1
    AutoStepsSpec autoSteps; //!< whether fewer may do
    uint32_t warmup{50};     //!< steps per worker before measuring, less than steps
    SamplingSpec sampling;   //!< the profiled step that each step replays
    StartSpec start;         //!< when the workers start
    std::optional<PluginSpec> tcp;  //!< congestion control of its connections; none: the network's
    std::optional<Time> checkpoint; //!< how often servers save the parameters; none: never
    StepJitterSpec stepJitter;      //!< by how much steps begin late
    uint32_t batchSize{0};          //!< samples of each worker's first step; 0: as in the profile
    std::map<std::string, DeviceSpec> devices; //!< classes of devices by name
    /// Name of each worker's class, repeated for further ones; empty: the profile's device.
    std::vector<std::string> workerDevices;
    /// The same of each server; empty: the device that the profile's updates were measured on.
    std::vector<std::string> serverDevices;
};

/// What a server spends on a tensor that it receives, where that differs (`overhead.server`).
struct ServerOverheadSpec
{
    std::optional<double> alpha; //!< seconds per byte, >= 0; nothing: as OverheadSpec::alpha
    std::optional<double> beta;  //!< seconds per tensor, >= 0; nothing: as OverheadSpec::beta
};

/// Time that a receiver spends on a tensor after its last byte: alpha * bytes + beta (`overhead`).
struct OverheadSpec
{
    double alpha{0};           //!< seconds per byte, >= 0
    double beta{0};            //!< seconds per tensor, >= 0
    bool parallel{false};      //!< true: parsing has a resource of its own, not the receiver's
    ServerOverheadSpec server; //!< of servers

    /// @return seconds per byte that a server spends
    double GetServerAlpha() const
    {
        return server.alpha.value_or(alpha);
    }

    /// @return seconds per tensor that a server spends
    double GetServerBeta() const
    {
        return server.beta.value_or(beta);
    }
};

/// How steps of another engine's run are predicted from the instants at which they began
/// (`matched`).
struct MatchSpec
{
    /// How often, where the shares of links are drawn at random; 0: none is predicted.
    uint32_t draws{10};
};

/// Of the fair-share engine only (`fair_share`).
struct FairShareSpec
{
    /// Of SharingPolicies(): a name, or a TypeId; or "auto": see GetSharingRule().
    std::string sharing{"auto"};
    PluginAttributes sharingAttributes; //!< of a TypeId
    /// Between the last byte sent and received (`one_way_delay`), of every channel; requests and
    /// answers then take no time. None: all take the delays of their routes.
    std::optional<Time> oneWayDelay;
    uint32_t serverCores{
        0};            //!< cores of each server shared by all workers; 0: private ones (`ps_cores`)
    MatchSpec matched; //!< of the comparison with other engines
};

/// Whether packet runs skip what goes on at a steady rate (`packet.fast_forward`).
struct FastForwardSpec
{
    bool on{false}; //!< they do
    double check{
        0.01}; //!< part of the skips that is simulated instead, to see how far off they are
};

/// Of the packet engine only (`packet`).
struct PacketSpec
{
    uint32_t replications{0};    //!< run only the first so many replications; 0: all
    FastForwardSpec fastForward; //!< what is skipped (`fast_forward`)
    bool collapsingTcp{false};   //!< run congestion controls that collapse in ns-3, too
};

/// Of the host engine only (`host`).
struct HostSpec
{
    uint32_t replications{0};       //!< as in PacketSpec
    HostGrpcSpec grpc;              //!< implementation of gRPC, and its settings
    std::string collectives{"dml"}; //!< reduced by "dml" as in the packet engine, or "gloo"
    Time waitForIdle{Seconds(60)};  //!< for other processes to end, before a run begins
    std::string ifBusy{"run"};      //!< "run" or "refuse", where they have not ended by then
};

/// What is written besides summary.json, steps.csv and transfers.csv (`output`).
struct OutputSpec
{
    bool pcap{false};        //!< a pcap file per host (packet and host engine)
    bool netanim{false};     //!< an animation of every packet for NetAnim (packet engine)
    bool flows{false};       //!< what FlowMonitor measures of every flow, in XML (packet engine)
    bool transfers{true};    //!< transfers.csv: every transfer of every step
    bool links{true};        //!< links.csv: utilisation of the servers' links over time
    bool trace{true};        //!< trace.json in Chrome's format
    bool messages{true};     //!< in it: messages of collectives and their reduction; has no key
    uint32_t timeline{0};    //!< first steps of each worker in the form of TensorFlow's timelines
    bool plots{true};        //!< SVG plots
    bool ops{false};         //!< ops.csv: start and end of every op
    bool gradients{false};   //!< gradients.csv: waits and times of each tensor's transfers
    bool versions{false};    //!< versions.csv: on which parameters gradients were computed
    bool shares{false};      //!< shares.csv: how workers shared links (packet engine)
    bool connections{false}; //!< connections.csv: windows over time (host engine)
};

/**
 * @ingroup dml-scenario
 * @brief One question: a job, a network, and how long to look. All values checked.
 *
 * The keys of the YAML form are the field names in snake_case unless a comment says otherwise.
 */
struct Scenario
{
    std::string name{"unnamed"};    //!< used in titles
    std::string file;               //!< path of the YAML file, empty if built in a program
    uint32_t seed{1};               //!< of all randomness, at least 1
    uint32_t replications{5};       //!< seeded runs per configuration, at least 1
    JobSpec job;                    //!< the training job
    std::vector<JobSpec> otherJobs; //!< jobs that share the network until the first one is done
    TransferSpec transfer;          //!< order of transfers
    OverheadSpec overhead;          //!< parsing
    NetworkSpec network;            //!< topology and links
    std::vector<ProcessFaultSpec> processFaults; //!< what happens to workers and servers
    FairShareSpec fairShare;                     //!< analytical engine
    PacketSpec packet;                           //!< packet engine
    HostSpec host;                               //!< host engine
    OutputSpec output;                           //!< files
    /// The key paths and values that `sweep:` gave this variant, in order ("network.rate",
    /// "10Gbps").
    std::vector<std::pair<std::string, std::string>> variant;
    /// Where each key was given, as "file:line:column" by key path ("job.workers[2]"), for checks
    /// that come after reading (ScenarioError()); empty if built in a program.
    std::map<std::string, std::string> locations;
    std::vector<std::string> doubts; //!< warnings about how values are written (FindDoubts())
};

} // namespace ns3::dml

#endif /* DML_SCENARIO_H */
