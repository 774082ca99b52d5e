/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PATH_TEXT_H
#define DML_PATH_TEXT_H

#include "ns3/dml-prepared-scenario.h"

#include <string>

namespace ns3::dml
{

/**
 * @param prepared a scenario
 * @return how packets choose between equally short paths, and where a hash decides, on which links
 * between switches most connections meet, with most workers; empty if there is one path
 */
std::string DescribePaths(const PreparedScenario& prepared);

/**
 * @param prepared a scenario
 * @return the path of each connection of its jobs, with most workers, and how many connections meet
 * on each link that switches choose from, in lines of at most 80 columns where names allow
 */
std::string FormatPaths(const PreparedScenario& prepared);

} // namespace ns3::dml

#endif /* DML_PATH_TEXT_H */
