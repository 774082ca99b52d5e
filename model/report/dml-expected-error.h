/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EXPECTED_ERROR_H
#define DML_EXPECTED_ERROR_H

#include "dml-engine-table.h"

#include "ns3/dml-prepared-scenario.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dml
{

struct RunSummary;

/// Sizes of errors of an engine's throughputs against real processes.
struct ErrorSize
{
    double mean{0};    //!< of all cases, per cent
    double largest{0}; //!< of a case, per cent
    uint32_t cases{0}; //!< that the engine predicted
};

/**
 * @brief Real runs of a kind, and how far predictions of them were off.
 */
struct MeasuredKind
{
    std::string name;                       //!< what they have in common, such as "FIFO, M = 1"
    uint32_t cases{0};                      //!< that were measured
    std::map<EngineKind, ErrorSize> errors; //!< of each engine
};

/**
 * @brief What is known of the errors of a configuration before it runs.
 */
struct ExpectedError
{
    const MeasuredKind* kind{nullptr}; //!< the nearest one that was measured
    std::vector<std::string> outside;  //!< what of the configuration was not measured: parts of a
                                       //!< sentence, such as "10 Gbit/s (measured: ...)"

    /// @return its object in summary.json
    nlohmann::ordered_json ToJson() const;
};

/// @return all kinds: those of the page doc/fidelity.rst, tables "expected"
const std::vector<MeasuredKind>& GetMeasuredKinds();

/**
 * @ingroup dml-report
 * @brief Find the real runs that are most like a configuration.
 * @param prepared a scenario
 * @param workers its number of workers, at least 1
 * @return what is known from them
 */
ExpectedError FindExpectedError(const PreparedScenario& prepared, uint32_t workers);

/**
 * @ingroup dml-report
 * @brief Say how far the results of a study are from reality, as far as is known.
 * @param summary the results
 * @return a note for each kind of configurations, at most 4
 */
std::vector<std::string> MakeExpectedErrorNotes(const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_EXPECTED_ERROR_H */
