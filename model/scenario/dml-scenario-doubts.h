/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_DOUBTS_H
#define DML_SCENARIO_DOUBTS_H

#include "ns3/dml-yaml-node.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Find values that can be read, but are probably not meant as they are written.
 *
 * These are rates in bytes that look like rates in bits ("1GBps"), and windows of less than a
 * packet ("28", which is 28 bytes).
 * @param document of a scenario that has been read without an error
 * @return warnings, "file:line:column: key: found ...; did you mean ...?"
 */
std::vector<std::string> FindDoubts(const YamlNode& document);

} // namespace ns3::dml

#endif /* DML_SCENARIO_DOUBTS_H */
