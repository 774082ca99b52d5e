/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-worker-launcher.h"

#include "ns3/dml-model-clock.h"
#include "ns3/nstime.h"

#include <utility>

namespace ns3::dml
{

WorkerLauncher::WorkerLauncher(std::shared_ptr<const Elasticity> elasticity)
    : m_elasticity(std::move(elasticity)),
      m_launcher(m_elasticity, static_cast<ElasticLauncherHost&>(*this))
{
}

void
WorkerLauncher::Add(Ptr<TrainingWorker> worker)
{
    worker->SetLauncher(m_launcher, m_elasticity->memberships.front());
    m_workers.push_back(worker);
}

void
WorkerLauncher::WakeLauncher(double delay, uint64_t call)
{
    ModelClock::Schedule(Seconds(delay), [this, call] { m_launcher.WakeUp(call); });
}

void
WorkerLauncher::EndWorker(uint32_t worker)
{
    m_workers[worker]->EndProcess();
}

void
WorkerLauncher::EndAfterStep(const std::vector<uint32_t>& workers)
{
    for (const uint32_t worker : workers)
    {
        m_workers[worker]->EndAfterStep();
    }
}

void
WorkerLauncher::StartWorkers(const Membership& membership)
{
    for (const uint32_t worker : membership.workers)
    {
        m_workers[worker]->StartProcess(membership);
    }
}

void
WorkerLauncher::NothingLeft(uint32_t worker)
{
    m_workers[worker]->LeaveRest();
}

} // namespace ns3::dml
