/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_INPUTS_H
#define DML_STUDY_INPUTS_H

#include "ns3/dml-profile-cache.h"
#include "ns3/dml-scenario.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A file that results depend on besides the scenario.
struct StudyInput
{
    std::string checksum; //!< of what it held
    bool profile{false};  //!< or a trace of speeds
};

/// All of them, by path.
using StudyInputs = std::map<std::string, StudyInput>;

/**
 * @ingroup dml-study
 * @brief Note the checksums of the files that a scenario names, for StudyIdentity.
 * @param scenario of a study
 * @param profiles that were read for it
 * @param[out] variant its echo, which gets a member for each
 * @throws InputError if a file cannot be read
 */
void AddInputChecksums(const Scenario& scenario,
                       ProfileCache& profiles,
                       nlohmann::ordered_json& variant);

/**
 * @brief What AddInputChecksums() noted when results were made.
 * @param folder of the results, finished or not
 * @return the files; none if the folder does not tell (study.json), as it was copied in part
 */
StudyInputs ReadStudyInputs(const std::string& folder);

/**
 * @brief For commands that read one of these files again beside the results: it must be the same.
 * @param folder of results
 * @param accepted instead, for the message: what the command can do without the file; or empty
 * @throws InputError that names the first file that has changed since
 */
void CheckStudyInputs(const std::string& folder, const std::string& accepted = "");

/**
 * @brief For commands that put results together: they must be of the same files.
 * @param folders of results
 * @throws InputError that names the first file of which they had different contents
 */
void CheckSameInputs(const std::vector<std::string>& folders);

} // namespace ns3::dml

#endif /* DML_STUDY_INPUTS_H */
