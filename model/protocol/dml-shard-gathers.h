/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARD_GATHERS_H
#define DML_SHARD_GATHERS_H

#include "dml-shard-units.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// When a unit's parameters are gathered for back-propagation.
enum class BackwardPrefetch : uint8_t
{
    PRE,  //!< when the back-propagation of the unit before it begins
    POST, //!< when that has ended, before its gradient is scattered
    NONE, //!< when its own back-propagation could begin
};

/// When a sharded job gathers parameters: see ShardedProtocol.
struct GatherRules
{
    static constexpr uint32_t DEFAULT_LIMIT = 2; //!< as FSDP's limit_all_gathers has it

    uint32_t stage{3};                                //!< 1, 2 or 3
    bool reshards{true};                              //!< after forward propagation
    BackwardPrefetch prefetch{BackwardPrefetch::PRE}; //!< of back-propagation
    uint32_t limit{DEFAULT_LIMIT};                    //!< units gathered at a time; 0: any number
};

/**
 * @ingroup dml-protocol
 * @brief An all-gather of a unit for some of the ops that need it.
 *
 * A process that executes the ops of the profile in the order of their places issues it in the gap
 * before or after one of them.
 */
struct ShardGather
{
    uint32_t unit{0};          //!< place of the unit
    bool backward{false};      //!< for back-propagation alone
    uint32_t issued{0};        //!< number of the gap: GapBefore() or GapAfter() a place
    std::vector<OpIndex> uses; //!< ops of the profile that wait for it, by place; in stages 1 and 2
                               //!< those of the next step, which are not listed
    std::vector<OpIndex> awaits; //!< ops of the profile that end before it may start
    OpIndex needed{NO_INDEX};    //!< op of the profile: it waits for what that waits for
};

/// @param place of an op @return number of the gap before it
constexpr uint32_t
GapBefore(uint32_t place)
{
    return 2 * place;
}

/// @param place of an op @return number of the gap after it
constexpr uint32_t
GapAfter(uint32_t place)
{
    return 2 * place + 1;
}

/**
 * @param rules when units are gathered
 * @param profile a valid profile
 * @param units of it, in stage 3 with the ops that use them
 * @return the gathers of a step, in the order in which they are issued
 */
std::vector<ShardGather> ListShardGathers(const GatherRules& rules,
                                          const Profile& profile,
                                          const std::vector<ShardUnit>& units);

} // namespace ns3::dml

#endif /* DML_SHARD_GATHERS_H */
