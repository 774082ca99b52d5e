/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KEY_REFERENCE_H
#define DML_KEY_REFERENCE_H

#include <string>

namespace ns3::dml
{

/// @return the JSON Schema of scenarios (draft 2020-12), `doc/scenario.schema.json`
std::string WriteKeySchema();

/// @return the manual's page of all keys, `doc/scenario-keys.rst`
std::string WriteKeyPage();

} // namespace ns3::dml

#endif /* DML_KEY_REFERENCE_H */
