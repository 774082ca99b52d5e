/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-topologies.h"

namespace ns3::dml
{

const PluginKind&
Topologies()
{
    static const PluginKind KIND("topology",
                                 &Topology::GetTypeId,
                                 {{"star", &StarTopology::GetTypeId, {}},
                                  {"dumbbell", &DumbbellTopology::GetTypeId, {}},
                                  {"leaf-spine", &LeafSpineTopology::GetTypeId, {}},
                                  {"explicit", &ExplicitTopology::GetTypeId, {}}});
    return KIND;
}

} // namespace ns3::dml
