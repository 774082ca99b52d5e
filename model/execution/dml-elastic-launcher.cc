/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-elastic-launcher.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

ElasticLauncher::ElasticLauncher(std::shared_ptr<const Elasticity> elasticity,
                                 ElasticLauncherHost& host)
    : m_elasticity(std::move(elasticity)),
      m_host(host),
      m_states(m_elasticity->memberships.front().workers.size(), State::RUNNING),
      m_hasModel(m_states.size(), true)
{
}

std::vector<uint32_t>
ElasticLauncher::List(State state) const
{
    std::vector<uint32_t> workers;
    for (uint32_t worker = 0; worker < m_states.size(); ++worker)
    {
        if (m_states[worker] == state)
        {
            workers.push_back(worker);
        }
    }
    return workers;
}

bool
ElasticLauncher::IsRunning(uint32_t worker) const
{
    return m_states[worker] == State::RUNNING || m_states[worker] == State::STOPPED;
}

void
ElasticLauncher::EndProcesses()
{
    m_ending = false;
    for (uint32_t worker = 0; worker < m_states.size(); ++worker)
    {
        if (IsRunning(worker))
        {
            m_states[worker] = State::WAITING;
            m_host.EndWorker(worker);
        }
    }
}

void
ElasticLauncher::StartLater()
{
    m_host.WakeLauncher(m_elasticity->rebuild, ++m_call);
}

void
ElasticLauncher::Crashed(uint32_t worker, double now)
{
    m_states[worker] = State::DOWN;
    m_hasModel[worker] = false;
    EndProcesses();
    if (m_over)
    {
        for (const uint32_t waiting : List(State::WAITING))
        {
            m_host.NothingLeft(waiting);
        }
        return;
    }
    if (std::find(m_hasModel.begin(), m_hasModel.end(), true) == m_hasModel.end())
    {
        m_host.ModelLost("all workers that had the model have crashed by " + std::to_string(now) +
                         " s, so nobody can go on with it");
        return;
    }
    StartLater();
}

void
ElasticLauncher::Back(uint32_t worker)
{
    m_states[worker] = State::WAITING;
    const auto running = List(State::RUNNING);
    if (m_over)
    {
        m_host.NothingLeft(worker);
    }
    else if (!m_ending && running.empty())
    {
        StartLater();
    }
    else if (!m_ending)
    {
        m_ending = true;
        m_host.EndAfterStep(running);
    }
}

void
ElasticLauncher::Stopped(uint32_t worker)
{
    if (!m_ending || m_states[worker] != State::RUNNING)
    {
        return; // another one has crashed at the same instant
    }
    m_states[worker] = State::STOPPED;
    if (List(State::RUNNING).empty())
    {
        EndProcesses();
        StartLater();
    }
}

void
ElasticLauncher::Finished(uint32_t worker)
{
    m_states[worker] = State::FINISHED;
    if (std::exchange(m_over, true))
    {
        return;
    }
    for (const uint32_t waiting : List(State::WAITING))
    {
        m_host.NothingLeft(waiting);
    }
}

void
ElasticLauncher::WakeUp(uint64_t call)
{
    if (call != m_call)
    {
        return; // more has changed since
    }
    const auto members = List(State::WAITING);
    for (const uint32_t worker : members)
    {
        m_states[worker] = State::RUNNING;
        m_hasModel[worker] = true;
    }
    m_host.StartWorkers(m_elasticity->memberships[m_elasticity->Find(members)]);
}

} // namespace ns3::dml
