/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-port-shares.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

/// A power of the number of connections and of the size of the port.
struct Power
{
    double one;         //!< value for one connection and a port of UNIT bytes
    double connections; //!< exponent of their number
    double size;        //!< exponent of the size in UNIT bytes
};

constexpr double UNIT = 1e6; //!< bytes
constexpr Power SPREAD{0.238, 0.316, -0.221};
constexpr Power PERSISTENCE{167, -0.445, 0.332}; //!< drain times

double
Evaluate(const Power& power, double connections, double size)
{
    return power.one * std::pow(connections, power.connections) * std::pow(size, power.size);
}

} // namespace

PortShares
GetPortShares(double bytes, double rate, uint32_t connections)
{
    const double number = std::max(connections, 2U);
    const double size = bytes / UNIT;
    return {Evaluate(SPREAD, number, size), Evaluate(PERSISTENCE, number, size) * bytes / rate};
}

} // namespace ns3::dml
