/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-sampler.h"

#include "ns3/rng-seed-manager.h"

#include <utility>

namespace ns3::dml
{

namespace
{

constexpr uint64_t OFFSET_STREAM_BASE = 2000000;

} // namespace

StepSampler::StepSampler(Rule rule,
                         uint32_t samples,
                         uint32_t seed,
                         uint32_t replication,
                         uint32_t worker)
    : m_rule(rule),
      m_samples(samples),
      m_random(seed, STREAM_BASE + worker, replication)
{
}

StepSampler::StepSampler(std::vector<uint32_t> list)
    : m_rule(Rule::EXPLICIT),
      m_random(1, STREAM_BASE, 0),
      m_list(std::move(list))
{
}

int64_t
StepSampler::AssignStreams(int64_t stream)
{
    if (m_rule != Rule::RANDOM)
    {
        return 0;
    }
    m_random = RngStream(RngSeedManager::GetSeed(), stream, RngSeedManager::GetRun());
    return 1;
}

int64_t
StepJitter::AssignStreams(int64_t stream)
{
    m_random = RngStream(RngSeedManager::GetSeed(), stream, RngSeedManager::GetRun());
    return 1;
}

uint32_t
StepSampler::Next()
{
    const uint64_t n = m_next++;
    switch (m_rule)
    {
    case Rule::RANDOM:
        return static_cast<uint32_t>(m_random.RandU01() * m_samples);
    case Rule::IN_ORDER:
        return n % m_samples;
    default:
        return m_list[n % m_list.size()];
    }
}

uint32_t
StepSampler::At(uint64_t step)
{
    while (m_next <= step)
    {
        const uint64_t drawn = m_next;
        m_last[drawn % 2] = Next();
    }
    return m_last[step % 2];
}

std::vector<double>
DrawStartOffsets(uint32_t workers,
                 double spread,
                 uint32_t seed,
                 uint32_t replication,
                 uint32_t stream)
{
    std::vector<double> offsets;
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        offsets.push_back(
            spread * RngStream(seed, OFFSET_STREAM_BASE + stream + worker, replication).RandU01());
    }
    return offsets;
}

} // namespace ns3::dml
