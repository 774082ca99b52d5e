/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BENCH_WORKLOAD_H
#define DML_BENCH_WORKLOAD_H

#include "ns3/dml-profile.h"
#include "ns3/dml-scenario.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace ns3::dml
{

/// Ops of a step of the benchmarks' job.
constexpr uint32_t BENCH_OPS = 697;

/// Tensors of the benchmarks' job.
constexpr uint32_t BENCH_TENSORS = 161;

/**
 * @brief The job that benchmarks run: ResNet-50 at batch size 32, synthetic times, the same in
 * every build.
 *
 * The layers are those of He et al., Deep Residual Learning for Image Recognition, CVPR 2016, Table
 * 1, column "50-layer", with the stride of a block in its 3x3 convolution, as torchvision has it:
 * 53 convolutions, each followed by a batch normalisation, and one fully connected layer. So 107
 * layers have parameters, in 53 + 2 * 53 + 2 = 161 tensors of 25,557,032 floats; a step has 161
 * pulls, 107 forward and 107 backward ops, 161 pushes and 161 updates: 697 ops.
 *
 * Layers run one after the other: forward waits for the pulls of its layer, backward goes in
 * reverse, each push waits for the backward op of its layer, each update for its push. The time of
 * a layer is 20 us and its multiply-adds at 4e12 per second, backward twice that; an update takes
 * 10 us and its bytes at 5e9 per second. Eight measured steps differ by up to 5 % in every op,
 * drawn by std::minstd_rand.
 * @return the profile, valid
 */
Profile MakeBenchProfile();

/// What a benchmark of the engine alone varies.
struct BenchCase
{
    uint32_t workers{8};                //!< at least 1
    uint32_t servers{1};                //!< at least 1
    uint32_t steps{1000};               //!< of each worker, at least 1
    std::string sharing{"equal"};       //!< as `fair_share.sharing`
    std::string policy{"http2-window"}; //!< as `transfer.policy`
    std::string sync{"async"};          //!< as the name of a rule of `job.sync`
    std::string rate{"10Gbps"};         //!< of every link
    bool segments{false};               //!< bursts are single segments: `network.tcp.gso: 0B`
    /// Gradients of a bucket that is reduced on a ring; 0: there are servers. Without servers there
    /// is nothing to choose in `servers`, `sharing`, `policy` and `sync`.
    uint32_t bucket{0};
};

/**
 * @brief The benchmarks' job on a star, staggered starts, seed 1; without delays, losses and late
 * steps, unless sharing is `drop-tail` or `bursts`.
 * @param bench what varies
 * @param profile file that holds what MakeBenchProfile() gives
 * @return a scenario of one replication; policies that need slices have the default size
 * @throws InputError that says which value is not accepted
 */
Scenario MakeBenchScenario(const BenchCase& bench, const std::filesystem::path& profile);

/// A folder that lives as long as this.
class BenchFolder
{
  public:
    /// @throws RunError if the folder cannot be made
    BenchFolder();
    ~BenchFolder();
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;

    /// @return its path
    const std::filesystem::path& GetPath() const
    {
        return m_path;
    }

    /// @brief Write a profile into it. @param profile what to write @return path of the file
    /// @throws RunError if writing fails
    std::filesystem::path Write(const Profile& profile) const;

  private:
    std::filesystem::path m_path; //!< the folder
};

/// @return CPU seconds of this process so far, of user and system
double GetCpuSeconds();

/// @return largest resident set of this process so far, in bytes
uint64_t GetPeakMemory();

} // namespace ns3::dml

#endif /* DML_BENCH_WORKLOAD_H */
