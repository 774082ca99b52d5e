/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-bucket-match.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/**
 * @brief Take the gradients of a bucket.
 * @param ready those that are complete and in no bucket; gets those that are left
 * @return the gradients of the bucket, or nothing if they cannot have its bytes
 */
std::vector<std::size_t>
TakeBucket(const std::vector<ReadyGradient>& gradients,
           std::vector<std::size_t>& ready,
           uint64_t bytes)
{
    std::vector<uint64_t> before{0}; // bytes of those before the n-th
    for (const std::size_t gradient : ready)
    {
        before.push_back(before.back() + gradients[gradient].bytes);
    }
    if (before.back() < bytes)
    {
        return {};
    }
    const uint64_t excess = before.back() - bytes;
    for (std::size_t end = excess == 0 ? 0 : ready.size() + 1; end-- > 1;)
    {
        const auto wanted = before[end] - std::min(before[end], excess);
        const auto start = std::lower_bound(before.begin(), before.begin() + end, wanted);
        if (before[end] >= excess && *start == wanted)
        {
            const auto from = ready.begin() + (start - before.begin());
            std::vector<std::size_t> left(from, ready.begin() + end);
            ready.erase(from, ready.begin() + end);
            std::swap(left, ready);
            return left;
        }
    }
    std::vector<std::size_t> taken;
    if (excess == 0)
    {
        std::swap(taken, ready);
    }
    return taken;
}

} // namespace

std::vector<uint32_t>
MatchGradients(const std::vector<ReadyGradient>& gradients, const std::vector<uint64_t>& buckets)
{
    std::vector<uint32_t> found(gradients.size(), buckets.size());
    std::vector<std::size_t> ready;
    std::size_t next = 0;
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket)
    {
        for (; next < gradients.size() && gradients[next].first <= bucket; ++next)
        {
            ready.push_back(next);
        }
        const auto taken = TakeBucket(gradients, ready, buckets[bucket]);
        if (taken.empty())
        {
            for (std::size_t g = 0; g < gradients.size(); ++g)
            {
                found[g] = std::min<std::size_t>(gradients[g].first, buckets.size() - 1);
            }
            break;
        }
        for (const std::size_t gradient : taken)
        {
            found[gradient] = bucket;
        }
    }
    return found;
}

} // namespace ns3::dml
