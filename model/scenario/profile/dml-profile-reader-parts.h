/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The parts of ReadProfile(), each in a file dml-profile-reader-*.cc of its own.

#ifndef DML_PROFILE_READER_PARTS_H
#define DML_PROFILE_READER_PARTS_H

#include "ns3/dml-profile.h"
#include "ns3/dml-yaml-field.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Read the list `ops` of a profile, and the file of samples if there is one.
 * @param root map of the profile
 * @param folder that the file's path starts from
 * @param profile to fill, with its tensors and devices; valid then, but for its buckets
 * @throws InputError as ReadProfile()
 */
void ReadProfileOps(const YamlField& root, const std::string& folder, Profile& profile);

/// @param text of a duration @return its seconds, if it is one
std::optional<double> ParseSeconds(std::string_view text);

/// @param field of a duration @return its seconds
double ReadSeconds(const YamlField& field);

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

/**
 * @ingroup dml-scenario
 * @brief Read the list `buckets` of a profile: gradients that were reduced together.
 *
 * All buckets name their tensors, or none does: then all have bytes, and are filled with gradients
 * in the order in which a step generates them.
 * @param field the list; may be missing
 * @param profile to fill, valid but for its buckets
 * @throws InputError at the place of what is wrong: an unknown tensor, one without a push or in two
 * buckets, bytes that are not those of the tensors, or times that do not fit together
 */
void ReadProfileBuckets(const YamlField& field, Profile& profile);

} // namespace ns3::dml

#endif /* DML_PROFILE_READER_PARTS_H */
