/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-animation.h"

#include "ns3/dml-error.h"

#ifdef DML_NETANIM_LIBRARY
#include "ns3/dml-plugin-library.h"
#endif

namespace ns3::dml
{

PacketAnimation
MakePacketAnimation([[maybe_unused]] const Cluster& cluster,
                    [[maybe_unused]] const std::string& path)
{
    PacketAnimation animation;
#if defined(DML_NETANIM)
    DmlMakeNetAnimWriter(cluster, path, animation);
#elif defined(DML_NETANIM_LIBRARY)
    try
    {
        const auto make = reinterpret_cast<decltype(&DmlMakeNetAnimWriter)>(
            LoadPluginLibrary(DML_NETANIM_LIBRARY, "DmlMakeNetAnimWriter"));
        make(cluster, path, animation);
    }
    catch (const RunError& error)
    {
        throw RunError(std::string("output.netanim: ") + error.what());
    }
#else
    throw RunError("output.netanim: this ns-3 was built without its module netanim");
#endif
    return animation;
}

} // namespace ns3::dml
