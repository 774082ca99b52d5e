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

std::unique_ptr<PacketAnimation>
MakePacketAnimation([[maybe_unused]] const Cluster& cluster,
                    [[maybe_unused]] const std::string& path)
{
#if defined(DML_NETANIM)
    return std::unique_ptr<PacketAnimation>(DmlMakeNetAnimWriter(cluster, path));
#elif defined(DML_NETANIM_LIBRARY)
    using Make = PacketAnimation* (*)(const Cluster&, const std::string&);
    try
    {
        const auto make =
            reinterpret_cast<Make>(LoadPluginLibrary(DML_NETANIM_LIBRARY, "DmlMakeNetAnimWriter"));
        return std::unique_ptr<PacketAnimation>(make(cluster, path));
    }
    catch (const RunError& error)
    {
        throw RunError(std::string("output.netanim: ") + error.what());
    }
#else
    throw RunError("output.netanim: this ns-3 was built without its module netanim");
#endif
}

} // namespace ns3::dml
