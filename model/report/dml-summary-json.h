/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SUMMARY_JSON_H
#define DML_SUMMARY_JSON_H

#include "dml-result-summary.h"

#include <nlohmann/json.hpp>
#include <string>

namespace ns3::dml
{

/**
 * @brief The summary in the schema "dml-summary/1".
 *
 * Undefined numbers are null. Wall-clock and CPU times, and what is computed from them, are found
 * only under keys named "timing": all else is the same whenever the same study is run again.
 * @param summary what to write
 * @return a JSON object
 */
nlohmann::ordered_json ToJson(const RunSummary& summary);

/**
 * @brief Write summary.json; a reader never sees half of it.
 * @param path of the file
 * @param summary what to write
 * @param durable true: wait until the disk has it
 * @throws InputError if it cannot be created, RunError if it cannot be written
 */
void WriteSummary(const std::string& path, const RunSummary& summary, bool durable = false);

} // namespace ns3::dml

#endif /* DML_SUMMARY_JSON_H */
