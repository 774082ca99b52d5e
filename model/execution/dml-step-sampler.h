/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_SAMPLER_H
#define DML_STEP_SAMPLER_H

#include "ns3/rng-stream.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief Which profiled step each step of a worker replays: the same sequence in both engines.
 *
 * Each worker draws from ns-3 stream STREAM_BASE + worker, each replication from its own substream,
 * so a worker's sequence depends neither on the engine nor on the number of workers.
 */
class StepSampler
{
  public:
    /// First ns-3 RNG stream of the samplers; worker w uses STREAM_BASE + w.
    static constexpr uint64_t STREAM_BASE = 1000000;

    /// Order of the samples.
    enum class Rule
    {
        RANDOM,   //!< with replacement
        IN_ORDER, //!< 0, 1, 2, ..., and again from 0
        EXPLICIT, //!< a list, repeated when the run is longer
    };

    /**
     * @brief Random or in order.
     * @param rule RANDOM or IN_ORDER
     * @param samples number of profiled steps, at least 1
     * @param seed seed of the scenario, at least 1
     * @param replication number of the replication, from 0
     * @param worker index of the worker
     */
    StepSampler(Rule rule, uint32_t samples, uint32_t seed, uint32_t replication, uint32_t worker);

    /// @param list sample indices, at least one
    explicit StepSampler(std::vector<uint32_t> list);

    /**
     * @brief Draw from a stream of ns-3's global seed and run instead, before the first step.
     * @param stream number of it
     * @return how many streams are used: 1 if samples are random, else 0
     */
    int64_t AssignStreams(int64_t stream);

    /// @return the sample of the worker's next step
    uint32_t Next();

    /**
     * @brief The sample of a step: the same whether or not the worker did all steps before, and
     * each time that it does the step.
     * @param step its number, at least that of the last call less one: after a crash a step may be
     * done again that only this worker had completed
     * @return the sample
     */
    uint32_t At(uint64_t step);

  private:
    Rule m_rule;                      //!< order
    uint32_t m_samples{1};            //!< number of profiled steps
    RngStream m_random;               //!< for RANDOM
    std::vector<uint32_t> m_list;     //!< for EXPLICIT
    uint64_t m_next{0};               //!< number of samples drawn
    std::array<uint32_t, 2> m_last{}; //!< the last two, by the parity of their steps
};

/**
 * @ingroup dml-execution
 * @brief By how much the steps of a worker begin late, exponentially distributed.
 *
 * Real processes need some ms until the first request of a step is served; without, workers that
 * happen to be in step stay there.
 */
class StepJitter
{
  public:
    static constexpr uint64_t STREAM_BASE = 2500000; //!< ns-3 stream of the first worker

    /**
     * @param mean seconds, above 0
     * @param seed seed of the scenario, at least 1
     * @param replication number of the replication, from 0
     * @param worker number of the stream
     * @param first how many times as late the first step is, at least 0
     */
    StepJitter(double mean, uint32_t seed, uint32_t replication, uint32_t worker, double first = 1)
        : m_mean(mean),
          m_factor(first),
          m_random(seed, STREAM_BASE + worker, replication)
    {
    }

    /// @brief As StepSampler::AssignStreams(). @param stream number of it @return 1
    int64_t AssignStreams(int64_t stream);

    /// @return seconds by which the next step is late
    double Next()
    {
        return -m_mean * std::exchange(m_factor, 1) * std::log1p(-m_random.RandU01());
    }

  private:
    double m_mean;      //!< seconds
    double m_factor;    //!< how many times as late the next step is
    RngStream m_random; //!< of this worker
};

/**
 * @brief Start offsets drawn uniformly from [0, spread) seconds, worker w from ns-3 stream
 * 2000000 + stream + w.
 * @param workers number of workers
 * @param spread seconds, usually one step time
 * @param seed seed of the scenario, at least 1
 * @param replication number of the replication, from 0
 * @param stream of the first worker
 * @return seconds, one per worker
 */
std::vector<double> DrawStartOffsets(uint32_t workers,
                                     double spread,
                                     uint32_t seed,
                                     uint32_t replication,
                                     uint32_t stream = 0);

} // namespace ns3::dml

#endif /* DML_STEP_SAMPLER_H */
