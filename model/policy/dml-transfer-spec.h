/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_SPEC_H
#define DML_TRANSFER_SPEC_H

#include "ns3/dml-plugin-kind.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Largest window of HTTP/2 in bytes (RFC 9113, section 6.9.1): flow control that is off.
constexpr uint64_t MAX_STREAM_WINDOW = 2147483647;

/// Slice size of the policies that need slices, in bytes (Prophet, section 5.1, sets it for P3).
constexpr uint64_t DEFAULT_PARTITION = 4000000;

/// Credit of `bytescheduler` in slices, as ByteScheduler's own code has it: 4,000,000 parameters
/// on their way, in partitions of 1,000,000.
constexpr uint64_t DEFAULT_CREDIT_SLICES = 4;

/// The windows of a connection in each step (`transfer.window.connections`).
struct ConnectionSpec
{
    uint32_t worker{0}; //!< index
    uint32_t server{0}; //!< index
    /// Bytes for steps 0, 1, ...; the last one stays; empty: the default.
    std::vector<uint64_t> downlink;
    std::vector<uint64_t> uplink; //!< as downlink
};

/// How transfers go over the network: transport, order and flow control (`transfer`).
struct TransferSpec
{
    std::string transport{"grpc"};      //!< "grpc" or "tcp"
    uint32_t sockets{1};                //!< connections that an endpoint opens to another ("tcp")
    std::string policy{"http2-window"}; //!< of TransferPolicies(): a name, or a TypeId
    PluginAttributes policyAttributes;  //!< of a TypeId
    std::vector<std::string> order;     //!< tensors, first one first, for "explicit"
    std::string rejoin{"end"}; //!< "end" or "start" of its turn: when a stream queues again
    bool flowControl{true};    //!< false: `window: off`; window is MAX_STREAM_WINDOW then
    uint64_t window{28000000}; //!< WIN: stream window in bytes, 1 to MAX_STREAM_WINDOW
    uint64_t windowMax{0};     //!< each connection draws from window to this; 0: no draw
    std::vector<ConnectionSpec> connections; //!< connections with other windows, step by step
    std::string windowRule{"two-turns"}; //!< "two-turns" or "every-window" (`transfer.window_rule`)
    std::string grant{"message"};        //!< "message", "consume", "capped" or "bdp": how receivers
                                         //!< grant window (packet engine)
    uint64_t partition{0}; //!< tensors are cut into slices of so many bytes at most; 0: `off`
    /// Bytes on their way at most, for "bytescheduler".
    uint64_t credit{DEFAULT_CREDIT_SLICES * DEFAULT_PARTITION};
    Time sliceOverhead{0};    //!< what sending a slice (for "prophet": a block) costs besides
    Time monitor{Seconds(5)}; //!< how often "prophet" looks at the rate; 0: before every block
};

/// @param grant a grant rule @return the window rule of the fair-share engine that follows from it
std::string WindowRuleOf(const std::string& grant);

/// @return whether @p policy hands pulls over in an order of its own: tic, tac, reverse, random,
/// shuffled, explicit
bool IsOrderPolicy(const std::string& policy);

/// @return whether @p policy schedules slices by priority: p3, bytescheduler, prophet
bool IsSlicePolicy(const std::string& policy);

/// Make flow control that of plain TCP: no windows of streams. @param transfer to be changed
void RemoveWindows(TransferSpec& transfer);

/// @return whether @p policy is chosen by its TypeId
bool IsOwnPolicy(const std::string& policy);

/// @return whether transfers take turns of a window's size, as in gRPC, or may do so
bool TakesWindowTurns(const TransferSpec& transfer);

} // namespace ns3::dml

#endif /* DML_TRANSFER_SPEC_H */
