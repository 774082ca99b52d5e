/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PORT_SHARES_H
#define DML_PORT_SHARES_H

#include <cstdint>

namespace ns3::dml
{

/// More connections than so many share a port as so many do.
constexpr uint32_t MOST_SHARING_CONNECTIONS = 32;

/// How unequally TCP connections share a drop-tail port, and for how long.
struct PortShares
{
    double spread{0};      //!< standard deviation of the logarithm of a connection's weight, from 0
    double persistence{0}; //!< seconds after which the correlation of weights has fallen to 1/e
};

/**
 * @ingroup dml-fairshare
 * @brief The shares that connections with full windows get of a drop-tail port.
 *
 * The smaller a connection's part of the buffer, the more a loss costs it, and the sooner the next
 * one comes: shares are the more unequal, and change the sooner, the more connections there are and
 * the smaller the port is.
 *
 * Source: TCP by bursts, which has no fitted constant itself, on 180 ports, judged by packets
 * (doc/bursts.rst, Shares of a port; tools/burst-study law). Spreads are interpolated between these
 * ports, of 64 KB to 4 MB and 0.1 to 25 Gbit/s with 2 to 32 connections, and beyond them those of
 * the nearest one; times are powers fitted to them.
 *
 * @param bytes that the port holds, above 0
 * @param rate of the port, bytes per second, above 0
 * @param connections that send through it; fewer than 2 count as 2, more than
 * MOST_SHARING_CONNECTIONS as so many
 * @return their shares
 */
PortShares GetPortShares(double bytes, double rate, uint32_t connections);

} // namespace ns3::dml

#endif /* DML_PORT_SHARES_H */
