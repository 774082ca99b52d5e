/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_VERSION_H
#define DML_VERSION_H

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Of what this program was built, and how.
 */
struct ProgramVersion
{
    std::string dml;    //!< version of dml
    std::string commit; //!< what git calls it; empty if it was not built from a checkout
    std::string ns3;    //!< version of ns-3
    std::string build;  //!< kind of the build
};

/// @return that of this program
const ProgramVersion& GetVersion();

/**
 * @brief Tell the commit that the program was built from.
 *
 * The program knows it, not the library: a commit that changes no source leaves the library as it
 * is, and with it the studies that can be resumed.
 * @param commit what git calls it
 */
void SetCommit(const std::string& commit);

/// @return the versions, in lines for a person
std::string DescribeVersion();

} // namespace ns3::dml

#endif /* DML_VERSION_H */
