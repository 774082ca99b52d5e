/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLAIN_NETWORK_H
#define DML_PLAIN_NETWORK_H

#include "ns3/dml-network-spec.h"

namespace ns3::dml
{

/// @return a network of ns-3's own TCP, for cases that are derived by hand
inline NetworkSpec
PlainNetwork()
{
    NetworkSpec network;
    UseTransport("plain", network);
    return network;
}

} // namespace ns3::dml

#endif /* DML_PLAIN_NETWORK_H */
