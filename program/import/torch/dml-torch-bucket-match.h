/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_BUCKET_MATCH_H
#define DML_TORCH_BUCKET_MATCH_H

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// A gradient whose bucket is looked for.
struct ReadyGradient
{
    uint64_t bytes{0}; //!< its size
    uint32_t first{0}; //!< index of the first bucket that was asked for when it was complete; the
                       //!< number of buckets if none was
};

/**
 * @ingroup dml-import
 * @brief Tell in which bucket each gradient was reduced.
 *
 * Of the gradients that are complete when a bucket is asked for, all are in it that are in none
 * before, if they have its bytes. If they have more, some that followed one another wait for a
 * later bucket: DistributedDataParallel orders buckets by parameters, and a gradient may come
 * before its turn. The last such run that makes the bytes right is taken. What is left at the end
 * is in no bucket, as gradients of parameters that are not replicated.
 *
 * @param gradients in the order in which they were complete
 * @param buckets bytes of each, in the order in which they were asked for; at least one
 * @return index of the bucket of each gradient, or the number of buckets if it is in none; where
 * bytes do not come out right, the bucket that was asked for first when it was complete
 */
std::vector<uint32_t> MatchGradients(const std::vector<ReadyGradient>& gradients,
                                     const std::vector<uint64_t>& buckets);

} // namespace ns3::dml

#endif /* DML_TORCH_BUCKET_MATCH_H */
