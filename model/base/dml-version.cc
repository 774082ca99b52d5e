/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-version.h"

#include <dlfcn.h>

// The build tells these of this file.
#ifndef DML_VERSION
#define DML_VERSION "unknown"
#endif
#ifndef DML_NS3_VERSION
#define DML_NS3_VERSION "unknown"
#endif
#ifndef DML_BUILD_KIND
#define DML_BUILD_KIND "unknown"
#endif

namespace ns3::dml
{

namespace
{

ProgramVersion g_version{DML_VERSION, "", DML_NS3_VERSION, DML_BUILD_KIND};

/// @return the version of tcmalloc that allocates in this process, as it calls itself; empty where
/// another does
std::string
GetTcmalloc()
{
    using Function = const char*(int*, int*, const char**);
    const auto version = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, "tc_version"));
    return version ? version(nullptr, nullptr, nullptr) : "";
}

} // namespace

const ProgramVersion&
GetVersion()
{
    return g_version;
}

void
SetCommit(const std::string& commit)
{
    g_version.commit = commit;
}

std::string
DescribeVersion()
{
    const std::string tcmalloc = GetTcmalloc();
    return "dml   " + g_version.dml +
           (g_version.commit.empty() ? "" : " (commit " + g_version.commit + ")") + "\nns-3  " +
           g_version.ns3 + "\nbuild " + g_version.build + "\n" +
           (tcmalloc.empty() ? "" : "malloc tcmalloc (" + tcmalloc + ")\n");
}

} // namespace ns3::dml
