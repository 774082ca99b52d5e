/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-five-tuple.h"

namespace ns3::dml
{

namespace
{

/// Mixes the bits of a number.
uint64_t
Mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

/// @return two numbers as one
uint64_t
Join(uint32_t high, uint32_t low)
{
    return static_cast<uint64_t>(high) << 32 | low;
}

} // namespace

uint64_t
HashFiveTuple(const FiveTuple& tuple, uint32_t seed, uint32_t node)
{
    const uint32_t ports = static_cast<uint32_t>(tuple.sourcePort) << 16 | tuple.destinationPort;
    uint64_t hash = Mix(Join(seed, node));
    hash = Mix(hash ^ Join(tuple.source, tuple.destination));
    return Mix(hash ^ Join(ports, tuple.protocol));
}

} // namespace ns3::dml
