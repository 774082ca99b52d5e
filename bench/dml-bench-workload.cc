/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bench-workload.h"

#include "ns3/dml-error.h"
#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-transfer-policies.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr uint32_t BATCH = 32;            // samples per step
constexpr uint32_t SAMPLES = 8;           // measured steps
constexpr double LAYER_SECONDS = 20e-6;   // of a layer without work
constexpr double MACS_PER_SECOND = 4e12;  // multiply-adds of the worker's device
constexpr double UPDATE_SECONDS = 10e-6;  // of an update without work
constexpr double UPDATE_BYTES_RATE = 5e9; // bytes per second that a server updates
constexpr double JITTER = 0.05;           // largest relative difference of a sample

/// A layer with parameters.
struct Layer
{
    std::string name;                                     //!< unique
    double macs;                                          //!< multiply-adds per sample
    std::vector<std::pair<std::string, uint64_t>> arrays; //!< names and numbers of floats
};

/// Lists the layers of ResNet-50 in the order in which they run.
class LayerList
{
  public:
    LayerList()
    {
        AddConvolution("conv1", 3, 64, 7, 112);
        uint32_t channels = 64;
        uint32_t size = 56; // of an image after the first pooling
        const std::pair<uint32_t, uint32_t> stages[] = {{3, 64}, {4, 128}, {6, 256}, {3, 512}};
        for (uint32_t stage = 0; stage < 4; ++stage)
        {
            const auto [blocks, width] = stages[stage];
            for (uint32_t block = 0; block < blocks; ++block)
            {
                const std::string name =
                    "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
                const uint32_t before = size;
                size = block == 0 && stage > 0 ? size / 2 : size;
                AddConvolution(name + ".conv1", channels, width, 1, before);
                AddConvolution(name + ".conv2", width, width, 3, size);
                AddConvolution(name + ".conv3", width, 4 * width, 1, size);
                if (block == 0)
                {
                    AddConvolution(name + ".downsample", channels, 4 * width, 1, size);
                }
                channels = 4 * width;
            }
        }
        m_layers.push_back(
            {"fc", 2048.0 * 1000, {{"fc.weight", uint64_t{2048} * 1000}, {"fc.bias", 1000}}});
    }

    const std::vector<Layer>& Get() const
    {
        return m_layers;
    }

  private:
    /// A convolution without bias, and the batch normalisation behind it.
    void AddConvolution(const std::string& name,
                        uint64_t in,
                        uint64_t out,
                        uint64_t kernel,
                        uint64_t size)
    {
        const uint64_t weights = in * out * kernel * kernel;
        const std::string norm = name + ".bn";
        m_layers.push_back(
            {name, static_cast<double>(weights * size * size), {{name + ".weight", weights}}});
        m_layers.push_back({norm,
                            static_cast<double>(out * size * size),
                            {{norm + ".weight", out}, {norm + ".bias", out}}});
    }

    std::vector<Layer> m_layers; //!< in the order in which they run
};

/// Puts the profile together.
class ProfileMaker
{
  public:
    Profile Make()
    {
        m_profile.model = "resnet50-synthetic";
        m_profile.batchSize = BATCH;
        m_profile.source = {{"made by", "the benchmarks of dml"}};
        m_profile.devices = {{"gpu", 1}};
        const LayerList layers;
        std::vector<std::vector<TensorIndex>> tensors; // of each layer
        std::vector<OpIndex> pulls;                    // of each tensor
        for (const auto& layer : layers.Get())
        {
            tensors.emplace_back();
            for (const auto& [name, floats] : layer.arrays)
            {
                tensors.back().push_back(m_profile.tensors.size());
                m_profile.tensors.push_back({name, 4 * floats});
                pulls.push_back(Add("pull " + name, OpKind::PULL, tensors.back().back(), 0));
            }
        }
        OpIndex last = NO_INDEX;
        for (std::size_t i = 0; i < tensors.size(); ++i)
        {
            const Layer& layer = layers.Get()[i];
            const OpIndex op =
                Add("forward " + layer.name, OpKind::FORWARD, NO_INDEX, SecondsOf(layer));
            for (const TensorIndex tensor : tensors[i])
            {
                m_profile.graph.AddDependency(pulls[tensor], op);
            }
            last = After(last, op);
        }
        for (std::size_t i = tensors.size(); i-- > 0;)
        {
            const Layer& layer = layers.Get()[i];
            last = After(
                last,
                Add("backward " + layer.name, OpKind::BACKWARD, NO_INDEX, 2 * SecondsOf(layer)));
            for (const TensorIndex tensor : tensors[i])
            {
                const auto& [name, bytes] = m_profile.tensors[tensor];
                const double seconds = UPDATE_SECONDS + bytes / UPDATE_BYTES_RATE;
                const OpIndex push = After(last, Add("push " + name, OpKind::PUSH, tensor, 0));
                After(push, Add("update " + name, OpKind::UPDATE, tensor, seconds));
            }
        }
        m_profile.Validate();
        return std::move(m_profile);
    }

  private:
    static double SecondsOf(const Layer& layer)
    {
        return LAYER_SECONDS + BATCH * layer.macs / MACS_PER_SECOND;
    }

    OpIndex Add(const std::string& name, OpKind kind, TensorIndex tensor, double seconds)
    {
        m_profile.samples.emplace_back();
        for (uint32_t i = 0; !IsTransfer(kind) && i < SAMPLES; ++i)
        {
            const double random =
                static_cast<double>(m_random()) / static_cast<double>(std::minstd_rand::max());
            m_profile.samples.back().push_back(seconds * (1 + JITTER * (2 * random - 1)));
        }
        return m_profile.graph.Add({name, kind, 0, tensor});
    }

    OpIndex After(OpIndex before, OpIndex op)
    {
        if (before != NO_INDEX)
        {
            m_profile.graph.AddDependency(before, op);
        }
        return op;
    }

    Profile m_profile;            //!< result
    std::minstd_rand m_random{1}; //!< its sequence is the standard's, the same everywhere
};

/// @throws InputError if a value is none of those that are accepted
void
CheckName(const std::string& option,
          const std::string& value,
          const std::vector<std::string>& names)
{
    if (std::find(names.begin(), names.end(), value) != names.end())
    {
        return;
    }
    std::string accepted;
    for (const auto& name : names)
    {
        accepted += (accepted.empty() ? "" : ", ") + name;
    }
    throw InputError("--" + option + ": found '" + value + "'; accepted: " + accepted);
}

/// @throws InputError if a number is 0
void
CheckCount(const std::string& option, uint32_t value)
{
    if (value == 0)
    {
        throw InputError("--" + option + ": found 0; accepted: a number from 1");
    }
}

/// Name what exact rules of sharing assume, links without delay whose ports never drop, and steps
/// that begin when they can, so that other defaults do not make it another job. SimGrid knows
/// nothing else.
void
UseExactModel(Scenario& scenario)
{
    UseTransport("ideal", scenario.network);
    scenario.job.stepJitter.mean = Time(0);
    scenario.fairShare.oneWayDelay = Time(0);
}

/// Gradients go round a ring of the workers.
void
UseRing(Scenario& scenario, uint32_t bucket)
{
    scenario.job.protocol = "all-reduce";
    scenario.job.parameterServers = 0;
    scenario.job.sync.rule = "bsp";
    scenario.job.gradientGroups.rule = "count";
    scenario.job.gradientGroups.size = bucket;
    scenario.fairShare.sharing = "max-min";
}

} // namespace

Profile
MakeBenchProfile()
{
    return ProfileMaker().Make();
}

Scenario
MakeBenchScenario(const BenchCase& bench, const std::filesystem::path& profile)
{
    CheckCount("workers", bench.workers);
    CheckCount("servers", bench.servers);
    CheckCount("steps", bench.steps);
    SharingRuleFromString(bench.sharing);
    CheckName("sync", bench.sync, SyncPolicies().GetNames());
    std::vector<std::string> policies = TransferPolicies().GetNames();
    policies.erase(std::remove(policies.begin(), policies.end(), "explicit"), policies.end());
    CheckName("policy", bench.policy, policies);

    Scenario scenario;
    scenario.name = "bench";
    scenario.replications = 1;
    scenario.job.profile = profile;
    scenario.job.workers = {bench.workers};
    scenario.job.parameterServers = bench.servers;
    scenario.job.steps = bench.steps;
    scenario.job.warmup = std::min(scenario.job.warmup, bench.steps - 1);
    scenario.job.sync.rule = bench.sync;
    scenario.transfer.policy = bench.policy;
    scenario.transfer.partition = IsSlicePolicy(bench.policy) ? DEFAULT_PARTITION : 0;
    scenario.network.rate = DataRate(bench.rate);
    if (bench.segments)
    {
        scenario.network.tcp.gso = 0;
    }
    scenario.fairShare.sharing = bench.sharing;
    if (bench.sharing != "drop-tail" &&
        bench.sharing != "bursts") // which are about ports that drop
    {
        UseExactModel(scenario);
    }
    if (bench.bucket > 0)
    {
        UseRing(scenario, bench.bucket);
    }
    return scenario;
}

BenchFolder::BenchFolder()
{
    std::string name = std::filesystem::temp_directory_path() / "dml-bench-XXXXXX";
    if (!mkdtemp(name.data()))
    {
        throw RunError("cannot make the folder " + name);
    }
    m_path = name;
}

BenchFolder::~BenchFolder()
{
    std::error_code ignored; // a destructor must not throw
    std::filesystem::remove_all(m_path, ignored);
}

std::filesystem::path
BenchFolder::Write(const Profile& profile) const
{
    const auto path = m_path / "profile.yaml";
    std::ofstream file(path);
    WriteProfile(profile, file);
    file.close();
    if (!file)
    {
        throw RunError("cannot write " + path.string());
    }
    return path;
}

double
GetCpuSeconds()
{
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) { return t.tv_sec + 1e-6 * t.tv_usec; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

uint64_t
GetPeakMemory()
{
    // not ru_maxrss, which a process inherits from the one that has started it
    std::ifstream status("/proc/self/status");
    const std::string key = "VmHWM:";
    for (std::string line; std::getline(status, line);)
    {
        if (line.compare(0, key.size(), key) == 0)
        {
            uint64_t kibibytes = 0;
            std::istringstream(line.substr(key.size())) >> kibibytes;
            return kibibytes * 1024;
        }
    }
    return 0;
}

} // namespace ns3::dml
