/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-sharded-protocol.h"

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_GATHERED = 1000000;

bool
ShardsParameters(const ShardedSpec& spec)
{
    return spec.stage == 3;
}

const Keys<ShardedSpec>&
ShardedKeys()
{
    static const Keys<ShardedSpec> KEYS{
        Key{"stage",
            &ShardedSpec::stage,
            IntegerValue(1, 3),
            "of ZeRO: 1: the state of the optimizer is sharded, 2: gradients too, 3: parameters "
            "too"},
        Key{"reshard_after_forward",
            &ShardedSpec::reshardAfterForward,
            BoolValue(),
            "stage 3: whether a unit's parameters are freed after its forward propagation, and "
            "gathered again"}
            .EchoIf(ShardsParameters),
        Key{"backward_prefetch",
            &ShardedSpec::backwardPrefetch,
            WordValue(ShardedProtocol::PREFETCHES),
            "stage 3: whether the next unit is gathered before the back-propagation of a unit, "
            "after "
            "it, or when it is needed"}
            .EchoIf(ShardsParameters),
        Key{"limit_all_gathers",
            &ShardedSpec::limitAllGathers,
            IntegerValue(0, MAX_GATHERED),
            "stage 3: most units that are gathered at a time; 0: any number"}
            .EchoIf(ShardsParameters),
        Key{"hybrid",
            &ShardedSpec::hybrid,
            BoolValue(),
            "whether shards are of the workers of a host, and hosts reduce them among themselves"},
    };
    return KEYS;
}

} // namespace

Value<ShardedSpec>
ShardedValue()
{
    return MapValue(ShardedKeys(),
                    "a map of stage, reshard_after_forward, backward_prefetch, limit_all_gathers "
                    "and hybrid",
                    "{stage, reshard_after_forward, backward_prefetch, limit_all_gathers, hybrid}");
}

} // namespace ns3::dml
