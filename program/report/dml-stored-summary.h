/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STORED_SUMMARY_H
#define DML_STORED_SUMMARY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Replications of one engine: what they drew from, and what they came to.
struct StoredRuns
{
    /// Seed of the scenario and number of a replication.
    using Draw = std::pair<uint64_t, uint64_t>;

    /// Samples per second, in the order of the file; nothing where that is undefined.
    std::vector<std::pair<Draw, std::optional<double>>> throughputs;

    /// @return them without their draws
    std::vector<std::optional<double>> ListThroughputs() const;
};

/// One configuration of a study.
struct StoredCase
{
    std::map<std::string, std::string> variant; //!< key paths and values that a sweep set
    uint32_t workers{1};                        //!< number of workers
    uint32_t servers{0};                        //!< number of parameter servers; 0: all-reduce
    std::map<std::string, StoredRuns> engines;  //!< by name
};

/**
 * @ingroup dml-report
 * @brief What two results are compared by, of a folder's summary.json.
 */
struct StoredSummary
{
    std::string file;    //!< that it was read from
    std::string program; //!< versions of dml and ns-3
    bool finished{true}; //!< whether all runs of the study are done
    /// Key paths and values of the first variant, and its profile's "model" and "batch_size".
    std::map<std::string, std::string> settings;
    std::vector<StoredCase> cases; //!< in the order of the file
};

/**
 * @brief Read the summary of a folder of results, by whatever version of dml it was written.
 * @param path of the folder, or of the file itself
 * @return what is in it
 * @throws InputError with file, line and column if it cannot be read or is something else
 */
StoredSummary ReadStoredSummary(const std::string& path);

} // namespace ns3::dml

#endif /* DML_STORED_SUMMARY_H */
