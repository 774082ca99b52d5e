/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FIVE_TUPLE_H
#define DML_FIVE_TUPLE_H

#include <cstdint>

namespace ns3::dml
{

/// What a switch sees of a packet's connection, as it goes in one direction.
struct FiveTuple
{
    uint32_t source{0};          //!< IPv4 address
    uint32_t destination{0};     //!< IPv4 address
    uint16_t sourcePort{0};      //!< of TCP or UDP; 0: it has none
    uint16_t destinationPort{0}; //!< likewise
    uint8_t protocol{TCP};       //!< of the IPv4 header

    static constexpr uint8_t TCP = 6;  //!< protocol
    static constexpr uint8_t UDP = 17; //!< protocol

    /// @return that of what comes back
    FiveTuple Reverse() const
    {
        return {destination, source, destinationPort, sourcePort, protocol};
    }
};

/// Ports from which an endpoint opens its connections to another one.
struct ClientPorts
{
    uint16_t first{0}; //!< of its first connection; 0: TCP chooses
    uint16_t step{0};  //!< how much further that of each next one is; 0: TCP chooses those
    uint16_t count{0}; //!< how many there are, with a step; they are taken in turn

    /// @param number of a connection, from 0 @return its port; 0: TCP chooses
    uint16_t Get(uint32_t number) const
    {
        return number == 0 ? first : step == 0 ? 0 : first + number % count * step;
    }

    /// @param port of a connection @return whether it may be one of these
    bool MayHave(uint16_t port) const
    {
        return first == 0 || (port >= first && step > 0 && (port - first) % step == 0);
    }
};

/**
 * @ingroup dml-network
 * @brief What a switch chooses an equally short path by.
 *
 * All bits of the result depend on all bits of what is hashed, so that switches choose
 * independently of each other (else those of a second layer would see only flows for which those
 * of the first had chosen alike). The mixing function is the finaliser of SplitMix64 (Steele, Lea
 * and Flood 2014).
 *
 * @param tuple of the packet
 * @param seed of the hash
 * @param node number of the switch
 * @return evenly distributed
 */
uint64_t HashFiveTuple(const FiveTuple& tuple, uint32_t seed, uint32_t node);

/// @param hash of HashFiveTuple() @param choices how many there are, above 0 @return one of them,
/// from 0
inline uint32_t
ChooseByHash(uint64_t hash, uint32_t choices)
{
    return static_cast<uint32_t>((hash >> 32) * choices >> 32);
}

} // namespace ns3::dml

#endif /* DML_FIVE_TUPLE_H */
