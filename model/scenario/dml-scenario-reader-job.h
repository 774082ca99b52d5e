/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_JOB_H
#define DML_SCENARIO_READER_JOB_H

#include "dml-scenario.h"

#include "ns3/dml-yaml-field.h"

#include <string>

namespace ns3
{
namespace dml
{

/**
 * @brief Read the section `job`.
 * @param field the section; may be missing
 * @param file path of the scenario's file, against whose folder the profile's path is resolved
 * @return the job
 * @throws InputError with position and key path
 */
JobSpec ReadJobSection(const YamlField& field, const std::string& file);

/**
 * @brief Read an item of `other_jobs`: a job without steps and warm-up, and with one number of
 * workers.
 * @param job the item
 * @param file path of the scenario
 * @return the job
 * @throws InputError naming the position and key of the first mistake
 */
JobSpec ReadOtherJob(const YamlField& job, const std::string& file);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_JOB_H */
