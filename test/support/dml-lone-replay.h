/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LONE_REPLAY_H
#define DML_LONE_REPLAY_H

#include "ns3/dml-profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @brief What a worker alone does on an infinitely fast network: transfers take no time, one device
 * serves ready ops FIFO by ready time, ties by listing order. Independent of the engines.
 */
class LoneReplay
{
  public:
    /// @param profile what to replay; @param step index of the measured step
    LoneReplay(const Profile& profile, uint32_t step)
        : m_profile(profile),
          m_step(step),
          m_missing(profile.graph.GetSize())
    {
        for (OpIndex op = 0; op < m_missing.size(); ++op)
        {
            m_missing[op] = profile.graph.GetDependencies(op).size();
        }
        for (OpIndex op = 0; op < m_missing.size(); ++op)
        {
            if (profile.graph.GetDependencies(op).empty())
            {
                Start(op, 0);
            }
        }
        double now = 0;
        while (!m_ready.empty())
        {
            const OpIndex op = m_ready.begin()->second;
            m_ready.erase(m_ready.begin());
            now += profile.samples[op][step];
            End(op, now);
        }
    }

    /// @return when the op ended, in seconds
    double operator[](const std::string& op) const
    {
        return m_ends.at(op);
    }

    /// @return end of the last op whose name starts with @p prefix, in seconds
    double Last(const std::string& prefix) const
    {
        double last = 0;
        for (const auto& [name, end] : m_ends)
        {
            last = name.compare(0, prefix.size(), prefix) == 0 ? std::max(last, end) : last;
        }
        return last;
    }

    /// @return number of ops that ended
    std::size_t GetSize() const
    {
        return m_ends.size();
    }

  private:
    void Start(OpIndex op, double now)
    {
        if (RunsOnDevice(m_profile.graph.Get(op).kind))
        {
            m_ready.emplace(now, op);
            return;
        }
        const auto& samples = m_profile.samples[op];
        End(op, now + (samples.empty() ? 0 : samples[m_step]));
    }

    void End(OpIndex op, double now)
    {
        m_ends[m_profile.graph.Get(op).name] = now;
        for (const OpIndex next : m_profile.graph.GetDependents(op))
        {
            if (--m_missing[next] == 0)
            {
                Start(next, now);
            }
        }
    }

    const Profile& m_profile;                     //!< what runs
    uint32_t m_step;                              //!< which of its steps
    std::vector<std::size_t> m_missing;           //!< dependencies not yet done, per op
    std::set<std::pair<double, OpIndex>> m_ready; //!< waiting for the device
    std::map<std::string, double> m_ends;         //!< seconds, per op that ended
};

} // namespace ns3::dml

#endif /* DML_LONE_REPLAY_H */
