/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-crash-meter.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr double CLOCKS_APART = 0.1; // s, of processes on real hosts

/// @return whether a worker's crash is that of a server
bool
IsServerCrash(const std::vector<ServerLoss>& losses, double time)
{
    return std::any_of(losses.begin(), losses.end(), [time](const ServerLoss& loss) {
        return std::abs(loss.crash.at - time) < CLOCKS_APART;
    });
}

} // namespace

CrashMeter::CrashMeter(const std::vector<ServerCrash>& crashes,
                       std::optional<std::map<uint32_t, double>> workers)
    : m_workers(std::move(workers))
{
    for (const auto& crash : crashes)
    {
        m_serverLosses.push_back({crash});
    }
}

void
CrashMeter::On(const StepRecord& record)
{
    double last = 0; // what a crash before has taken is lost already
    for (auto& loss : m_serverLosses)
    {
        const double from = std::max(last, loss.crash.checkpoint);
        loss.steps += record.end > from && record.end <= loss.crash.at ? 1 : 0;
        last = loss.crash.at;
    }
}

bool
CrashMeter::IsEnded(const CrashRecord& record) const
{
    if (record.ended || IsServerCrash(m_serverLosses, record.time))
    {
        return true;
    }
    if (!m_workers)
    {
        return false;
    }
    const auto own = m_workers->find(record.worker);
    return own == m_workers->end() || own->second > record.time + CLOCKS_APART;
}

void
CrashMeter::On(const CrashRecord& record)
{
    CrashLoss loss;
    loss.worker = record.worker;
    loss.time = record.time;
    loss.step = record.step;
    loss.ended = IsEnded(record);
    loss.lost = record.start == UNKNOWN_TIME ? 0 : record.time - record.start;
    // simultaneous crashes come in any order
    const auto after =
        std::upper_bound(m_losses.begin(),
                         m_losses.end(),
                         loss,
                         [](const CrashLoss& a, const CrashLoss& b) {
                             return std::tie(a.time, a.worker) < std::tie(b.time, b.worker);
                         });
    m_losses.insert(after, loss);
}

void
CrashMeter::On(const ServerCrashRecord& record)
{
    for (auto& loss : m_serverLosses)
    {
        loss.happened = loss.happened || loss.crash.at == record.time;
    }
}

void
CrashMeter::On(const RejoinRecord& record)
{
    const auto loss =
        std::find_if(m_losses.rbegin(), m_losses.rend(), [&record](const CrashLoss& other) {
            return other.worker == record.worker;
        });
    if (loss != m_losses.rend())
    {
        loss->back = record.time;
        loss->backStep = record.step;
    }
}

std::vector<ServerCrash>
CrashMeter::GetServerCrashes() const
{
    std::vector<ServerCrash> crashes;
    std::transform(m_serverLosses.begin(),
                   m_serverLosses.end(),
                   std::back_inserter(crashes),
                   [](const ServerLoss& loss) { return loss.crash; });
    return crashes;
}

std::vector<ServerLoss>
CrashMeter::GetServerLosses() const
{
    std::vector<ServerLoss> losses;
    std::copy_if(m_serverLosses.begin(),
                 m_serverLosses.end(),
                 std::back_inserter(losses),
                 [](const ServerLoss& loss) { return loss.happened; });
    return losses;
}

} // namespace ns3::dml
