/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gloo-library.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plugin-library.h"

#include <filesystem>

namespace ns3::dml
{

std::size_t
GetGlooBoardSize(uint32_t ranks)
{
    constexpr std::size_t MOST_ADDRESS = 4096; // more than gloo::transport::Address::kMaxByteSize
    return 64 + MOST_ADDRESS * ranks;
}

void
CheckGlooLibrary(const std::string& algorithm)
{
    if (algorithm != "ring" && algorithm != "auto" && algorithm != "ns3::dml::RingAllReduce")
    {
        throw KeyError("host.collectives",
                       "found 'gloo' with job.all_reduce.algorithm " + algorithm +
                           ", which Gloo does not have; accepted: dml, or ring");
    }
#ifdef DML_GLOO_LIBRARY
    if (std::filesystem::exists(FindPluginLibrary(DML_GLOO_LIBRARY)))
    {
        return;
    }
#endif
    throw KeyError("host.collectives",
                   "found 'gloo', which this build is without (\"./dml build --host\" adds it); "
                   "accepted: dml, the messages of the packet engine");
}

std::unique_ptr<CollectiveService>
MakeGlooCollectives([[maybe_unused]] const GlooRank& rank)
{
#ifdef DML_GLOO_LIBRARY
    using Make = CollectiveService* (*)(const GlooRank&);
    const auto make =
        reinterpret_cast<Make>(LoadPluginLibrary(DML_GLOO_LIBRARY, "DmlMakeGlooCollectives"));
    return std::unique_ptr<CollectiveService>(make(rank));
#else
    throw RunError("this build is without Gloo");
#endif
}

} // namespace ns3::dml
