/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-results-helper.h"

#include "dml-script-recorder.h"

namespace ns3::dml
{

ResultsHelper::ResultsHelper(const std::string& folder,
                             const Profile& profile,
                             const TrainingRun& run)
    : m_recorder(std::make_unique<ScriptRecorder>(folder, profile, run))
{
}

ResultsHelper::~ResultsHelper() = default;

void
ResultsHelper::SetName(const std::string& name)
{
    m_recorder->SetName(name);
}

void
ResultsHelper::SetWarmup(uint32_t steps)
{
    m_recorder->SetWarmup(steps);
}

void
ResultsHelper::SetOutput(const OutputSpec& output)
{
    m_recorder->SetOutput(output);
}

RunObserver*
ResultsHelper::GetObserver()
{
    return m_recorder.get();
}

void
ResultsHelper::Watch(TrainingJob& job, const ClusterHelper& cluster)
{
    m_recorder->Watch(job, cluster);
}

void
ResultsHelper::Watch(TrainingJob& job, const NetDeviceContainer& devices)
{
    m_recorder->Watch(job, devices);
}

void
ResultsHelper::Write()
{
    m_recorder->Write();
}

} // namespace ns3::dml
