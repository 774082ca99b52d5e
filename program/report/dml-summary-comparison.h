/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SUMMARY_COMPARISON_H
#define DML_SUMMARY_COMPARISON_H

#include "dml-stored-summary.h"

#include "ns3/dml-confidence.h"

#include <string>
#include <vector>

namespace ns3::dml
{

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
    std::vector<std::string> onlyInA{}; //!< names of configurations without an equal in b
    std::vector<std::string> onlyInB{}; //!< names of those of b without an equal in a

    /// @return keys that have other values, by name; "swept" stands for those of a sweep, and keys
    /// that both sweep are left out
    std::vector<ChangedSetting> ListChanges() const;
};

/// @param a first result @param b second one @return both side by side; they must outlive it
SummaryComparison CompareSummaries(const StoredSummary& a, const StoredSummary& b);

} // namespace ns3::dml

#endif /* DML_SUMMARY_COMPARISON_H */
