/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-library.h"

#include "dml-error.h"

#include <dlfcn.h>
#include <filesystem>

namespace ns3::dml
{

std::string
FindPluginLibrary(const std::string& library)
{
    Dl_info self = {};
    dladdr(reinterpret_cast<const void*>(&FindPluginLibrary), &self);
    return std::filesystem::path(self.dli_fname).parent_path() / library;
}

void*
LoadPluginLibrary(const std::string& library, const std::string& symbol)
{
    void* const handle = dlopen(FindPluginLibrary(library).c_str(), RTLD_NOW);
    void* const found = handle ? dlsym(handle, symbol.c_str()) : nullptr;
    if (!found)
    {
        throw RunError(dlerror());
    }
    return found;
}

} // namespace ns3::dml
