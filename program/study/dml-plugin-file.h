/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLUGIN_FILE_H
#define DML_PLUGIN_FILE_H

#include <string>
#include <vector>

namespace ns3::dml
{

/// A shared library of the user's whose classes scenarios may choose.
struct PluginFile
{
    std::string path;     //!< absolute
    std::string checksum; //!< of its bytes
};

/**
 * @brief Load shared libraries, for the rest of the program: their classes register themselves.
 * @param files their paths; one that is loaded already is left as it is
 * @throws InputError if one is not there, cannot be loaded, or has no class for ns-3
 */
void LoadPlugins(const std::vector<std::string>& files);

/// @return all that were loaded, in order
const std::vector<PluginFile>& GetLoadedPlugins();

} // namespace ns3::dml

#endif /* DML_PLUGIN_FILE_H */
