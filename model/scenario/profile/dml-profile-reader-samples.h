/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_READER_SAMPLES_H
#define DML_PROFILE_READER_SAMPLES_H

#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Read the file of samples beside a profile.
 *
 * CSV as RFC 4180: a header of op names in any order (quoted where they hold commas or quotes),
 * then one row per measured step, in seconds. There must be one column for each op that has no
 * duration in the profile, and no other column.
 * @param path of the CSV file
 * @param expected names of the ops without a duration, in listing order
 * @param others names of the profile's other ops, for better errors
 * @return seconds of every step by op name
 * @throws InputError as "file:line:column: found ...; accepted: ..."
 */
std::map<std::string, std::vector<double>> ReadSampleFile(const std::string& path,
                                                          const std::vector<std::string>& expected,
                                                          const std::vector<std::string>& others);

} // namespace ns3::dml

#endif /* DML_PROFILE_READER_SAMPLES_H */
