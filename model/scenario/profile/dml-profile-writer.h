/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_WRITER_H
#define DML_PROFILE_WRITER_H

#include "ns3/dml-profile.h"

#include <iosfwd>
#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @ingroup dml-scenario
 * @brief Write a profile in the native format (YAML, schema "dml-profile/1",
 * "dml-profile/2" if it has buckets, "dml-profile/3" if it tells what ops hold).
 *
 * One line per tensor and per op, samples inline with as many digits as reading them back exactly
 * takes. The same profile gives the same bytes.
 *
 * @param profile a profile that passes Profile::Validate()
 * @param output where to write
 * @throws ProfileError if the profile is not valid
 * @throws RunError if writing fails
 */
void WriteProfile(const Profile& profile, std::ostream& output);

/// @param profile a valid profile @return what WriteProfile() writes
std::string FormatProfile(const Profile& profile);

/// @param text any text
/// @return it as a word of YAML, quoted if a reader would take it for something else
std::string QuoteYaml(std::string_view text);

} // namespace ns3::dml

#endif /* DML_PROFILE_WRITER_H */
