/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SUMMARY_COMPARISON_H
#define DML_SUMMARY_COMPARISON_H

#include "ns3/dml-confidence.h"

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

/// A configuration of two results, in one engine.
struct ComparedCase
{
    const StoredCase* a;           //!< of the first result
    const StoredCase* b;           //!< of the second one
    std::string engine;            //!< name of the engine
    RelativeDifference difference; //!< throughput of b / a - 1
    bool sameDraws;                //!< whether the pairs are replications with the same seeds
};

/// A key of the scenario that two results have different values of.
struct ChangedSetting
{
    std::string key; //!< path, such as "network.rate"
    std::string a;   //!< value of the first result; empty: it has none
    std::string b;   //!< value of the second one
};

/**
 * @ingroup dml-report
 * @brief Two results side by side: which configurations both have, and how far apart they are.
 *
 * Configurations belong together if they have the same number of workers, and the same values of
 * the keys that both studies sweep; so a study may be compared with one that sweeps further keys.
 * Replications with the same seed and number are paired, since they draw the same steps and
 * starts; if there are none, they are paired in the order in which they are stored.
 */
struct SummaryComparison
{
    const StoredSummary& a;             //!< first result
    const StoredSummary& b;             //!< second one
    std::vector<std::string> common{};  //!< keys that both sweep
    std::vector<ComparedCase> cases{};  //!< configurations and engines that both have, as in a
    std::vector<std::string> onlyInA{}; //!< configurations, or engines of one, that b has not
    std::vector<std::string> onlyInB{}; //!< likewise, those of b that a has not

    /// @return keys that have other values, by name; "swept" stands for those of a sweep, and keys
    /// that both sweep are left out
    std::vector<ChangedSetting> ListChanges() const;
};

/// @param a first result @param b second one @return both side by side; they must outlive it
SummaryComparison CompareSummaries(const StoredSummary& a, const StoredSummary& b);

/**
 * @ingroup dml-report
 * @brief Two results side by side as tables of at most 80 columns, and what of it is certain.
 * @param comparison of them
 * @param grey whether to grey differences that may be 0, for a terminal
 * @return lines, each with its line end
 */
std::string FormatComparison(const SummaryComparison& comparison, bool grey);

/// @param comparison of two results @return it as CSV, a line for each configuration and engine
std::string FormatComparisonCsv(const SummaryComparison& comparison);

} // namespace ns3::dml

#endif /* DML_SUMMARY_COMPARISON_H */
