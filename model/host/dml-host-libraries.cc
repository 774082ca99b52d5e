/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-libraries.h"

#include "ns3/boolean.h"
#include "ns3/dml-error.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-plugin-library.h"
#include "ns3/uinteger.h"

#include <filesystem>

#ifndef DML_GRPC_LIBRARY
#define DML_GRPC_LIBRARY ""
#endif
#ifndef DML_GLOO_LIBRARY
#define DML_GLOO_LIBRARY ""
#endif

namespace ns3::dml
{

namespace
{

/// @param name of a library; empty: this build is without it @return whether it is there
bool
HasLibrary(const std::string& name)
{
    return !name.empty() && std::filesystem::exists(FindPluginLibrary(name));
}

/// @return whether a run needs gRPC's library
bool
WantsGrpcLibrary(const HostGrpcSpec& spec, const TransferSpec& transfer)
{
    return spec.speaker == "library" && transfer.transport == "grpc";
}

} // namespace

void
CheckGrpcLibrary(const HostGrpcSpec& spec, const TransferSpec& transfer)
{
    if (WantsGrpcLibrary(spec, transfer) && !HasLibrary(DML_GRPC_LIBRARY))
    {
        throw KeyError("host.grpc.speaker",
                       "found 'library', Google's gRPC, which this build is without "
                       "(\"./dml build --host\" adds it); accepted: dml, the session of the packet "
                       "engine");
    }
}

std::optional<GrpcLibrarySettings>
ChooseGrpcLibrary(const HostGrpcSpec& spec,
                  const TransferSpec& transfer,
                  const ObjectFactory& policy)
{
    if (!WantsGrpcLibrary(spec, transfer))
    {
        return std::nullopt;
    }
    return GrpcLibrarySettings{spec,
                               policy.GetTypeId() != Http2WindowPolicy::GetTypeId(),
                               policy.Create<TransferPolicy>()->WantsAcknowledgements()};
}

ObjectFactory
MakeGrpcLibraryTransport(const GrpcLibrarySettings& settings)
{
    using GetType = TypeId (*)();
    const auto getType =
        reinterpret_cast<GetType>(LoadPluginLibrary(DML_GRPC_LIBRARY, "DmlGrpcLibraryTransport"));
    ObjectFactory factory;
    factory.SetTypeId(getType());
    factory.Set("BdpProbe", BooleanValue(settings.spec.bdpProbe));
    factory.Set("Lookahead", UintegerValue(settings.spec.lookahead));
    factory.Set("Ordered", BooleanValue(settings.ordered));
    factory.Set("Acknowledged", BooleanValue(settings.acknowledged));
    factory.Set("Windows", BooleanValue(settings.windows));
    return factory;
}

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
    if (!HasLibrary(DML_GLOO_LIBRARY))
    {
        throw KeyError(
            "host.collectives",
            "found 'gloo', which this build is without (\"./dml build --host\" adds it); "
            "accepted: dml, the messages of the packet engine");
    }
}

std::unique_ptr<CollectiveService>
MakeGlooCollectives(const GlooRank& rank)
{
    using Make = CollectiveService* (*)(const GlooRank&);
    const auto make =
        reinterpret_cast<Make>(LoadPluginLibrary(DML_GLOO_LIBRARY, "DmlMakeGlooCollectives"));
    return std::unique_ptr<CollectiveService>(make(rank));
}

} // namespace ns3::dml
