/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_VARIANT_CHOICE_H
#define DML_VARIANT_CHOICE_H

#include "dml-result-summary.h"

#include "ns3/dml-best-choice.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief The variants of a study with one number of workers, and which of them is the fastest.
 */
struct VariantChoice
{
    std::vector<const CaseSummary*> cases; //!< configurations, in their order
    BestChoice choice;                     //!< among them, by throughput

    /// @param item a configuration @return whether it cannot be distinguished from the fastest one
    bool MayBeFastest(const CaseSummary& item) const;
};

/// How report and table name the comparisons that make choices of ChooseVariants().
inline constexpr const char* CHOICE_METHOD =
    "geometric means; 95 % in all comparisons together (Bonferroni)";

/**
 * @brief Choose the fastest variant for each number of workers.
 *
 * All comparisons of the study count together, those of every number of workers.
 *
 * @param summary the results; the choices refer to its configurations
 * @param kind engine whose throughputs are compared
 * @return the choices, by number of workers
 */
std::map<uint32_t, VariantChoice> ChooseVariants(const RunSummary& summary, EngineKind kind);

} // namespace ns3::dml

#endif /* DML_VARIANT_CHOICE_H */
