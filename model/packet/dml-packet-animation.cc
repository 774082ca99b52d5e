/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-animation.h"

#include "ns3/dml-error.h"

#ifdef DML_NETANIM_LIBRARY
#include <dlfcn.h>
#include <filesystem>
#endif

#ifdef DML_NETANIM
#include "dml-netanim-writer.h"
#endif

namespace ns3
{
namespace dml
{

std::unique_ptr<PacketAnimation>
MakePacketAnimation([[maybe_unused]] const Cluster& cluster,
                    [[maybe_unused]] const std::string& path)
{
#if defined(DML_NETANIM)
    return std::unique_ptr<PacketAnimation>(DmlMakeNetAnimWriter(cluster, path));
#elif defined(DML_NETANIM_LIBRARY)
    Dl_info self = {};
    dladdr(reinterpret_cast<const void*>(&MakePacketAnimation), &self);
    const auto library = std::filesystem::path(self.dli_fname).parent_path() / DML_NETANIM_LIBRARY;
    using Make = PacketAnimation* (*)(const Cluster&, const std::string&);
    void* handle = dlopen(library.c_str(), RTLD_NOW); // for the rest of the program
    const auto make =
        handle ? reinterpret_cast<Make>(dlsym(handle, "DmlMakeNetAnimWriter")) : nullptr;
    if (!make)
    {
        throw RunError(std::string("output.netanim: ") + dlerror());
    }
    return std::unique_ptr<PacketAnimation>(make(cluster, path));
#else
    throw RunError("output.netanim: this ns-3 was built without its module netanim");
#endif
}

} // namespace dml
} // namespace ns3
