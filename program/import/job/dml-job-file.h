/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_FILE_H
#define DML_JOB_FILE_H

#include "ns3/dml-job-step.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief A job's mean step as YAML. ReadJob() gives back the same.
 *
 * Keys: schema (dml-job/1), model, batch_size, source (a map of texts), workers, servers, steps (of
 * which times are means), measured (a list by worker of maps with step, forward, backward, s),
 * devices (names), ops, and unmatched (sentences). An op is a map: name, kind (join, forward,
 * backward, compute, pull, push, collective, parse or update), worker, and where they are not zero
 * or empty device (a number, from 0 in the list), bytes, seconds, latency (s), deps (numbers of ops
 * of the same step, from 0 in the list) and before (numbers of ops of the step before).
 *
 * @param job to be written
 * @return text
 */
std::string WriteJob(const JobStep& job);

/**
 * @brief Read a job's mean step.
 * @param path of a file as WriteJob() writes it
 * @return the job
 * @throws InputError "file:line:column: key: found ...; accepted: ..."
 */
JobStep ReadJob(const std::string& path);

/// @param text of such a file @param path of it, for messages @return the job
/// @throws InputError as ReadJob()
JobStep ReadJobText(const std::string& text, const std::string& path);

} // namespace ns3::dml

#endif /* DML_JOB_FILE_H */
