/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_CASE_H
#define DML_STUDY_CASE_H

#include "dml-task-progress.h"

#include "ns3/dml-case-result.h"
#include "ns3/dml-engine-table.h"
#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-result-csv.h"

#include <string>

namespace ns3::dml
{

class RankWorld;

/**
 * @ingroup dml-study
 * @brief One run of a study: a variant, a number of workers, an engine, a replication.
 */
struct StudyCase
{
    uint32_t variant{0};                       //!< index of the prepared scenario
    uint32_t workers{1};                       //!< number of workers
    EngineKind engine{EngineKind::FAIR_SHARE}; //!< the engine
    uint32_t replication{0};                   //!< from 0
    bool detailed{false}; //!< collect what the plots and, of variant 0, the trace show
    uint32_t ranks{1};    //!< processes that simulate it together
};

/// @param scenario of a run @param header whether files start with the names of their columns
/// @return which result files it writes
CsvResults::Options MakeCsvOptions(const Scenario& scenario, bool header);

/**
 * @param scenario of a run
 * @param studyCase the run
 * @param folder of its files
 * @return path of its captures up to what tells them apart, such as "DIR/V2-W4"
 */
std::string GetCapturePrefix(const Scenario& scenario,
                             const StudyCase& studyCase,
                             const std::string& folder);

/**
 * @brief Run one case and write its rows.
 * @param prepared the case's scenario
 * @param studyCase the case
 * @param folder existing folder for its part of the result files
 * @param progress told how far it is
 * @param world where several processes simulate it together, this being rank 0; else null
 * @return its numbers, and what the plots show if it is detailed
 * @throws RunError if the run fails
 */
CaseResult RunStudyCase(const PreparedScenario& prepared,
                        const StudyCase& studyCase,
                        const std::string& folder,
                        const TaskProgress& progress,
                        RankWorld* world = nullptr);

/**
 * @brief Take part in a case that is split over ranks, on one other than 0.
 * @param prepared the case's scenario
 * @param studyCase the case
 * @param folder existing folder for captures
 * @param world the ranks
 */
void JoinStudyCase(const PreparedScenario& prepared,
                   const StudyCase& studyCase,
                   const std::string& folder,
                   RankWorld& world);

} // namespace ns3::dml

#endif /* DML_STUDY_CASE_H */
