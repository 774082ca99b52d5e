/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NS3_SCRIPT_H
#define DML_NS3_SCRIPT_H

#include <string>
#include <vector>

namespace ns3::dml
{

/// A script of ns-3 to begin with, as files of a folder.
struct Ns3Script
{
    std::string name;   //!< of the program, and of its file without ".cc"
    std::string source; //!< C++
    std::string cmake;  //!< CMakeLists.txt
};

/// @return the kinds of scripts that there are: what their network is
std::vector<std::string> ListNs3Scripts();

/// @param kind one of ListNs3Scripts() @return its script
Ns3Script MakeNs3Script(const std::string& kind);

} // namespace ns3::dml

#endif /* DML_NS3_SCRIPT_H */
