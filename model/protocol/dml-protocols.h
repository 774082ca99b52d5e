/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROTOCOLS_H
#define DML_PROTOCOLS_H

#include "ns3/dml-plugin-kind.h"

namespace ns3::dml
{

/// @return protocols: the names and classes of `job.protocol`
const PluginKind& Protocols();

} // namespace ns3::dml

#endif /* DML_PROTOCOLS_H */
