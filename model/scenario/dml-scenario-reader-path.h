/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_PATH_H
#define DML_SCENARIO_READER_PATH_H

#include "ns3/dml-yaml-field.h"

#include <string>

namespace ns3::dml
{

/**
 * @brief Read the path of another file, which must exist.
 * @param field the path; relative to the scenario's folder, or, if it was not given in the
 *        scenario's file, to the current folder
 * @param what what it should be, for the error: "a profile (a YAML file)"
 * @return the path as it can be opened from the current folder
 * @throws InputError with position and key path
 */
std::string ReadExistingPath(const YamlField& field, const std::string& what);

} // namespace ns3::dml

#endif /* DML_SCENARIO_READER_PATH_H */
