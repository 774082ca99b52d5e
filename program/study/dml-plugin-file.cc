/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-file.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-error.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

const std::string ACCEPTED = "; accepted: a shared library (.so) with classes for this dml";

std::vector<PluginFile>&
Plugins()
{
    static std::vector<PluginFile> plugins;
    return plugins;
}

void
LoadPlugin(const std::string& file)
{
    const std::string found = "--plugin: found '" + file + "'";
    std::error_code error;
    const std::string path = fs::canonical(file, error).string();
    if (error || !fs::is_regular_file(path, error))
    {
        throw InputError(found + ", but there is no such file" + ACCEPTED);
    }
    auto& plugins = Plugins();
    if (std::any_of(plugins.begin(), plugins.end(), [&path](const auto& plugin) {
            return plugin.path == path;
        }))
    {
        return;
    }
    const auto classes = TypeId::GetRegisteredN();
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) // for the rest of the program
    {
        throw InputError(found + ", which cannot be loaded (" + dlerror() + ")" + ACCEPTED);
    }
    if (TypeId::GetRegisteredN() == classes)
    {
        throw InputError(found + ", which registers no class (NS_OBJECT_ENSURE_REGISTERED)" +
                         ACCEPTED);
    }
    plugins.push_back({path, ChecksumOfFile(path)});
}

} // namespace

void
LoadPlugins(const std::vector<std::string>& files)
{
    for (const auto& file : files)
    {
        LoadPlugin(file);
    }
}

const std::vector<PluginFile>&
GetLoadedPlugins()
{
    return Plugins();
}

} // namespace ns3::dml
