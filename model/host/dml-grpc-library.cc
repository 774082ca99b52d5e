/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-library.h"

#include "ns3/boolean.h"
#include "ns3/dml-error.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-plugin-library.h"
#include "ns3/uinteger.h"

#include <filesystem>

namespace ns3::dml
{

namespace
{

/// @return whether a run needs the library
bool
WantsLibrary(const HostGrpcSpec& spec, const TransferSpec& transfer)
{
    return spec.speaker == "library" && transfer.transport == "grpc";
}

} // namespace

std::optional<GrpcLibrarySettings>
ChooseGrpcLibrary(const HostGrpcSpec& spec,
                  const TransferSpec& transfer,
                  const ObjectFactory& policy)
{
    std::optional<GrpcLibrarySettings> settings;
    if (WantsLibrary(spec, transfer))
    {
        settings.emplace();
        settings->spec = spec;
        settings->ordered = policy.GetTypeId() != Http2WindowPolicy::GetTypeId();
        settings->acknowledged = policy.Create<TransferPolicy>()->WantsAcknowledgements();
    }
    return settings;
}

void
CheckGrpcLibrary(const HostGrpcSpec& spec, const TransferSpec& transfer)
{
    if (!WantsLibrary(spec, transfer))
    {
        return;
    }
#ifdef DML_GRPC_LIBRARY
    if (std::filesystem::exists(FindPluginLibrary(DML_GRPC_LIBRARY)))
    {
        return;
    }
#endif
    throw KeyError("host.grpc.speaker",
                   "found 'library', Google's gRPC, which this build is without "
                   "(\"./dml build --host\" adds it); accepted: dml, the session of the packet "
                   "engine");
}

ObjectFactory
MakeGrpcLibraryTransport([[maybe_unused]] const GrpcLibrarySettings& settings)
{
#ifdef DML_GRPC_LIBRARY
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
#else
    throw RunError("this build is without gRPC's library");
#endif
}

} // namespace ns3::dml
