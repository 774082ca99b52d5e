/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The entry of libFuzzer. DML_FUZZ_TARGET names the target.

#include "dml-fuzz-target.h"

#include "ns3/dml-error.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace
{

const ns3::dml::FuzzTarget* g_target = nullptr; //!< set before the first input

} // namespace

extern "C" int
LLVMFuzzerInitialize(int* /* count */, char*** /* arguments */)
{
    const char* name = std::getenv("DML_FUZZ_TARGET");
    try
    {
        g_target = &ns3::dml::GetFuzzTarget(name ? name : "");
    }
    catch (const ns3::dml::InputError& error)
    {
        std::fprintf(stderr, "%s (DML_FUZZ_TARGET)\n", error.what());
        std::exit(2);
    }
    ns3::dml::GetFuzzFolder();
    return 0;
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    g_target->run({reinterpret_cast<const char*>(data), size});
    return 0;
}
