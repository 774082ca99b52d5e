/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLUGIN_LIBRARY_H
#define DML_PLUGIN_LIBRARY_H

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Find a library that is loaded only where it is wanted.
 * @param library name of a file beside the library of dml
 * @return its path, whether or not it is there
 */
std::string FindPluginLibrary(const std::string& library);

/**
 * @ingroup dml-base
 * @brief Load such a library for the rest of the program.
 * @param library name of a file beside the library of dml
 * @param symbol name of something in it
 * @return where that is
 * @throws RunError if it cannot be loaded, or has no such symbol
 */
void* LoadPluginLibrary(const std::string& library, const std::string& symbol);

} // namespace ns3::dml

#endif /* DML_PLUGIN_LIBRARY_H */
