/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_REPORT_H
#define DML_IMPORT_REPORT_H

#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// The network that a profile is replayed on to compare it with the measurement.
struct ReplayNetwork
{
    double bytesPerSecond{0}; //!< rate of tensors on the link in each direction; 0: infinitely fast
    uint64_t window{0};       //!< WIN in bytes (two-turn rule); 0: none
    double alpha{0};          //!< parsing, seconds per byte
    double beta{0};           //!< parsing, seconds per tensor
    bool parallel{false};     //!< parsing has a resource of its own
};

/**
 * @ingroup dml-import
 * @brief Replay each sample of a profile once, in order, by one worker in the fair-share engine.
 * @param profile a valid profile
 * @param network what it runs on
 * @return length of each step, s
 */
std::vector<double> ReplayOneWorker(const Profile& profile, const ReplayNetwork& network);

/**
 * @ingroup dml-import
 * @brief What `dml import` prints about a result: what is in it, how its bytes compare with the
 * model's known total, how much time is unexplained, whether its dependencies make sense, how the
 * replay compares with the measurement, what was inferred and what looks wrong.
 * @param result of an importer
 * @param network what the measurement was made on
 * @return lines of at most 80 columns, each with its line end
 */
std::string FormatImportReport(const ImportResult& result, const ReplayNetwork& network);

} // namespace ns3::dml

#endif /* DML_IMPORT_REPORT_H */
