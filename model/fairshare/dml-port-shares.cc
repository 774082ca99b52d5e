/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-port-shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace ns3::dml
{

namespace
{

// Ports of the table, see GetPortShares().
constexpr std::array SIZES{64e3, 128e3, 250e3, 500e3, 1e6, 4e6}; //!< bytes
constexpr std::array CONNECTIONS{2.0, 4.0, 8.0, 16.0, 32.0};     //!< that send through them
constexpr std::array RATES{0.1, 0.3, 1.0, 3.0, 10.0, 25.0};      //!< Gbit/s
constexpr double BITS_OF_RATE = 8e-9;                            //!< Gbit/s for bytes per second

using RatesOfPort = std::array<double, RATES.size()>;
using ConnectionsOfPort = std::array<RatesOfPort, CONNECTIONS.size()>;

/// Spreads by size, number of connections and rate. 32 connections on 64 KB at 25 Gbit/s never send
/// all at the same time; they have the spread that they have at 10 Gbit/s.
constexpr std::array<ConnectionsOfPort, SIZES.size()> SPREADS{{
    {{
        // 64KB
        {{0.24, 0.24, 0.21, 0.88, 0.94, 0.78}},
        {{0.52, 0.50, 0.56, 0.72, 0.65, 0.75}},
        {{0.74, 0.81, 0.95, 0.62, 0.60, 0.85}},
        {{1.06, 1.18, 1.12, 0.99, 0.86, 0.92}},
        {{1.40, 1.67, 1.60, 1.38, 1.08, 1.08}},
    }},
    {{
        // 128KB
        {{0.50, 0.36, 0.34, 0.38, 0.59, 0.52}},
        {{0.53, 0.48, 0.38, 0.94, 0.78, 0.82}},
        {{0.76, 0.74, 0.86, 1.00, 0.97, 1.02}},
        {{0.96, 1.06, 1.20, 1.08, 1.13, 1.19}},
        {{1.16, 1.36, 1.54, 1.36, 1.30, 1.40}},
    }},
    {{
        // 250KB
        {{0.52, 0.43, 0.35, 0.51, 0.32, 0.48}},
        {{0.48, 0.36, 0.33, 0.66, 0.42, 0.48}},
        {{0.59, 0.54, 0.47, 0.90, 0.80, 0.69}},
        {{0.76, 0.79, 0.82, 1.00, 0.92, 0.93}},
        {{0.94, 1.00, 1.13, 1.16, 1.10, 1.14}},
    }},
    {{
        // 500KB
        {{0.50, 0.32, 0.30, 0.35, 0.26, 0.28}},
        {{0.46, 0.36, 0.32, 0.40, 0.32, 0.35}},
        {{0.48, 0.44, 0.32, 0.62, 0.62, 0.44}},
        {{0.57, 0.57, 0.47, 0.86, 0.83, 0.75}},
        {{0.72, 0.76, 0.71, 0.97, 0.91, 0.93}},
    }},
    {{
        // 1MB
        {{0.72, 0.32, 0.35, 0.28, 0.28, 0.30}},
        {{0.56, 0.30, 0.30, 0.28, 0.29, 0.35}},
        {{0.55, 0.38, 0.33, 0.40, 0.39, 0.51}},
        {{0.52, 0.45, 0.36, 0.66, 0.59, 0.54}},
        {{0.53, 0.56, 0.46, 0.86, 0.78, 0.80}},
    }},
    {{
        // 4MB
        {{0.47, 0.35, 0.25, 0.28, 0.29, 0.30}},
        {{0.49, 0.32, 0.21, 0.26, 0.27, 0.26}},
        {{0.57, 0.47, 0.24, 0.27, 0.26, 0.30}},
        {{0.60, 0.45, 0.30, 0.39, 0.31, 0.29}},
        {{0.62, 0.48, 0.35, 0.47, 0.41, 0.37}},
    }},
}};

/// Drain times for which the shares of one connection on a port of a megabyte persist, and the
/// powers of the number of connections and of the size.
constexpr double PERSISTENCE = 167;
constexpr double PERSISTENCE_CONNECTIONS = -0.445;
constexpr double PERSISTENCE_SIZE = 0.332;

/// Where a value is between those of an axis.
struct Place
{
    std::size_t below; //!< index of the value below
    double part;       //!< of the way to the next one, on a logarithmic scale, 0 to 1
};

template <std::size_t N>
Place
FindPlace(const std::array<double, N>& axis, double value)
{
    const auto next = std::upper_bound(axis.begin() + 1, axis.end() - 1, value);
    const std::size_t below = std::distance(axis.begin(), next) - 1;
    const double inside = std::clamp(value, axis.front(), axis.back());
    return {below, std::log(inside / axis[below]) / std::log(axis[below + 1] / axis[below])};
}

/// @return the logarithm of the spread, linear between the ports of the table
double
Interpolate(const Place& size, const Place& connections, const Place& rate)
{
    double sum = 0;
    for (const bool larger : {false, true})
    {
        for (const bool more : {false, true})
        {
            for (const bool faster : {false, true})
            {
                const double weight = (larger ? size.part : 1 - size.part) *
                                      (more ? connections.part : 1 - connections.part) *
                                      (faster ? rate.part : 1 - rate.part);
                sum += weight * std::log(SPREADS[size.below + larger][connections.below + more]
                                                [rate.below + faster]);
            }
        }
    }
    return sum;
}

} // namespace

PortShares
GetPortShares(double bytes, double rate, uint32_t connections)
{
    const double number =
        std::clamp(static_cast<double>(connections), CONNECTIONS.front(), CONNECTIONS.back());
    const double drains = PERSISTENCE * std::pow(number, PERSISTENCE_CONNECTIONS) *
                          std::pow(bytes / 1e6, PERSISTENCE_SIZE);
    return {std::exp(Interpolate(FindPlace(SIZES, bytes),
                                 FindPlace(CONNECTIONS, number),
                                 FindPlace(RATES, rate * BITS_OF_RATE))),
            drains * bytes / rate};
}

} // namespace ns3::dml
