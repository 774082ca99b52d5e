/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_CASE_H
#define DML_STUDY_CASE_H

#include "dml-case-result.h"

#include "ns3/dml-goodput.h"
#include "ns3/dml-one-worker-profile.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-step-plan.h"
#include "ns3/dml-training-run.h"

#include <functional>
#include <memory>
#include <string>

namespace ns3
{
namespace dml
{

/// Which engine.
enum class EngineKind
{
    FAIR_SHARE, //!< analytical
    PACKET,     //!< ns-3
};

/// @return the engine's name in files and tables
const char* GetEngineName(EngineKind engine);

/**
 * @ingroup dml-helper
 * @brief A scenario with everything that its runs share.
 */
struct PreparedScenario
{
    Scenario scenario;                        //!< the question
    std::shared_ptr<const Profile> profile;   //!< the job
    std::shared_ptr<const StepPlan> plan;     //!< its step
    WireFormat format{};                      //!< of a full packet
    double goodput{0};                        //!< payload rate of a link of network.rate, bytes/s
    /// Plans of the scenario's other jobs, in order.
    std::vector<std::shared_ptr<const StepPlan>> otherPlans;
    OneWorkerMeans oneWorker;                 //!< means of the one-worker run
};

/**
 * @brief Read the profile, check it against the scenario, plan the step, and run one worker once
 * through every profiled step with the fair-share engine.
 * @param scenario a checked scenario
 * @param packet whether the packet engine will run it
 * @return what its runs share
 * @throws InputError if the parts do not fit together
 */
PreparedScenario PrepareScenario(const Scenario& scenario, bool packet);

/**
 * @ingroup dml-helper
 * @brief One run of a study: a variant, a number of workers, an engine, a replication.
 */
struct StudyCase
{
    uint32_t variant{0};     //!< index of the prepared scenario
    uint32_t workers{1};     //!< number of workers
    EngineKind engine{EngineKind::FAIR_SHARE}; //!< which engine
    uint32_t replication{0}; //!< from 0
    bool detailed{false};    //!< collect what the plots and the trace show
};

/**
 * @brief The engine-independent part of a case.
 * @param prepared the scenario
 * @param workers number of workers
 * @param replication from 0
 * @return step sequences, start offsets, policy: the same for both engines
 */
TrainingRun MakeTrainingRun(const PreparedScenario& prepared,
                            uint32_t workers,
                            uint32_t replication);

/**
 * @brief Run one case and write its rows.
 * @param prepared the case's scenario
 * @param studyCase the case
 * @param folder existing folder for its part of the result files
 * @param progress told the fraction done
 * @return its numbers, and what the plots show if it is detailed
 * @throws RunError if the run fails
 */
CaseResult RunStudyCase(const PreparedScenario& prepared,
                        const StudyCase& studyCase,
                        const std::string& folder,
                        const std::function<void(double)>& progress);

} // namespace dml
} // namespace ns3

#endif /* DML_STUDY_CASE_H */
