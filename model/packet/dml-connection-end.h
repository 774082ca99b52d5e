/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONNECTION_END_H
#define DML_CONNECTION_END_H

#include "ns3/dml-step-application.h"
#include "ns3/socket.h"

namespace ns3::dml
{

/// @param socket of the application's trace source Connection @param application any
/// @return whether a peer has opened the connection, on which the application then sends tensors
bool IsAccepted(const Socket& socket, const StepApplication& application);

} // namespace ns3::dml

#endif /* DML_CONNECTION_END_H */
