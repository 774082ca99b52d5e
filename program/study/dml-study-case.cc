/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-case.h"

#include "dml-case-recorder.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return whether all workers compute on the same device, with the same batch in their first step
bool
AreWorkersAlike(const TrainingRun& run)
{
    return std::all_of(run.compute.begin(), run.compute.end(), [&](const WorkerCompute& worker) {
        const WorkerCompute& first = run.compute.front();
        return worker.model == first.model && worker.speed == first.speed &&
               worker.batch == first.batch && worker.slots == first.slots;
    });
}

/// @return what the engine of a case is to do
EngineRun
PrepareRun(const PreparedScenario& prepared,
           const StudyCase& studyCase,
           const std::string& folder,
           RankWorld* world)
{
    return {prepared,
            studyCase,
            PrepareCase(prepared, studyCase.workers, studyCase.replication),
            folder,
            nullptr,
            world};
}

} // namespace

CsvResults::Options
MakeCsvOptions(const Scenario& scenario, bool header)
{
    return {scenario.output.ops,
            !scenario.variant.empty(),
            header,
            scenario.output.shares,
            scenario.output.transfers,
            scenario.output.links,
            scenario.output.gradients,
            scenario.output.connections,
            scenario.output.versions};
}

void
JoinStudyCase(const PreparedScenario& prepared,
              const StudyCase& studyCase,
              const std::string& folder,
              RankWorld& world)
{
    GetEngineRunner(studyCase.engine).Join(PrepareRun(prepared, studyCase, folder, &world));
}

CaseResult
RunStudyCase(const PreparedScenario& prepared,
             const StudyCase& studyCase,
             const std::string& folder,
             const std::function<void(double)>& progress,
             RankWorld* world)
{
    EngineRun run = PrepareRun(prepared, studyCase, folder, world);
    const auto network = run.work.network;
    CaseRecorder recorder(prepared, studyCase, *network, folder);
    run.files = &recorder.GetFiles();
    CaseResult result;
    result.summary.workersAlike = AreWorkersAlike(run.work.runs.front());
    GetEngineRunner(studyCase.engine)
        .Run(std::move(run),
             recorder.GetObserver(),
             recorder.MakeControl(progress),
             result.summary);
    recorder.Finish(result);
    return result;
}

} // namespace ns3::dml
