/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

namespace
{

/// The end of each part but the last one, bytes, and its name.
const std::vector<std::pair<uint64_t, const char*>> SIZES{
    {10000, "below 10 kB"},
    {100000, "10 to 100 kB"},
    {1000000, "100 kB to 1 MB"},
    {10000000, "1 to 10 MB"},
    {100000000, "10 to 100 MB"},
    {UINT64_MAX, "from 100 MB"},
};

} // namespace

MatchEffect
SizeEffect()
{
    return {"size",
            "bytes of the tensor",
            [](const RecordedRun& run) {
                EffectParts parts;
                for (const auto& [end, name] : SIZES)
                {
                    parts.names.emplace_back(name);
                }
                parts.find = [tensors = run.tensors](std::size_t, const StepTransfer& transfer) {
                    std::size_t part = 0;
                    while (tensors[transfer.tensor] >= SIZES[part].first)
                    {
                        ++part;
                    }
                    return std::optional(part);
                };
                return parts;
            },
            nullptr};
}

} // namespace ns3::dml
