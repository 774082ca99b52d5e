/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-profile.h"

#include "ns3/dml-job-graph.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Finds the parts of a job and what they wait for.
class JobPartFinder
{
  public:
    JobPartFinder(const JobStep& job, JobProfile& made)
        : m_job(job),
          m_made(made),
          m_partOf(job.ops.size(), NO_INDEX),
          m_waits(ListByWaiter(job.inStep, job.ops.size())),
          m_before(ListByWaiter(job.toNext, job.ops.size()))
    {
    }

    std::vector<JobPart> Find()
    {
        FindParts();
        for (uint32_t part = 0; part < m_parts.size(); ++part)
        {
            FindWaits(part);
        }
        FindTensors();
        MergeUpdates();
        FindServers();
        return std::move(m_parts);
    }

  private:
    void FindParts()
    {
        std::map<std::pair<JobOpKind, uint32_t>, uint32_t> known;
        for (GlobalOp op = 0; op < m_job.ops.size(); ++op)
        {
            const JobOp& own = m_job.ops[op].op;
            if (own.kind == JobOpKind::JOIN || own.kind == JobOpKind::PARSE ||
                own.kind == JobOpKind::MOVE)
            {
                continue;
            }
            const auto [place, added] =
                known.emplace(std::make_pair(own.kind, own.name), m_parts.size());
            if (added)
            {
                JobPart part;
                part.kind = own.kind;
                part.name = m_job.names[own.name];
                m_parts.push_back(part);
            }
            m_partOf[op] = place->second;
            m_parts[place->second].of[own.worker].push_back(op);
            m_made.collective = m_made.collective || own.kind == JobOpKind::COLLECTIVE;
        }
    }

    /// Go back from the ops of the first worker that has the part, through what is no part.
    void FindWaits(uint32_t index)
    {
        JobPart& part = m_parts[index];
        const uint32_t worker = part.of.begin()->first;
        std::vector<GlobalOp> open = part.of.begin()->second;
        std::set<GlobalOp> seen(open.begin(), open.end());
        const auto find = [&](GlobalOp op, std::set<uint32_t>& found) {
            found.insert(m_partOf[op]);
            const bool own = m_job.ops[op].op.worker == worker;
            m_made.rounds = m_made.rounds ||
                            (!own && !m_made.collective && NeedsTensor(GetProfileKind(part.kind)));
        };
        while (!open.empty())
        {
            const GlobalOp op = open.back();
            open.pop_back();
            for (const GlobalOp before : m_before[op])
            {
                if (m_partOf[before] != NO_INDEX)
                {
                    find(before, part.before);
                }
            }
            for (const GlobalOp before : m_waits[op])
            {
                if (m_partOf[before] != NO_INDEX && m_partOf[before] != index)
                {
                    find(before, part.waits);
                }
                else if (seen.insert(before).second)
                {
                    open.push_back(before);
                }
            }
        }
    }

    /// @return of the parts that are waited for, one that sends a gradient or, if @p updates, that
    /// updates: the one for which the fewest wait, as those for which all wait are a barrier
    std::optional<uint32_t> ChooseSource(const std::set<uint32_t>& waits, bool updates) const
    {
        std::optional<uint32_t> source;
        for (const uint32_t part : waits)
        {
            const JobOpKind kind = m_parts[part].kind;
            if ((SendsGradient(kind) || (updates && kind == JobOpKind::UPDATE)) &&
                (!source || m_claims.at(part) < m_claims.at(*source)))
            {
                source = part;
            }
        }
        return source;
    }

    void FindTensors()
    {
        TensorIndex tensors = 0;
        std::map<std::string, TensorIndex> named;
        for (auto& part : m_parts)
        {
            for (const auto* waits : {&part.waits, &part.before})
            {
                for (const uint32_t before : *waits)
                {
                    m_claims[before] +=
                        part.kind == JobOpKind::UPDATE || part.kind == JobOpKind::PULL ? 1 : 0;
                }
            }
            if (SendsGradient(part.kind))
            {
                part.tensor = tensors++;
                named.emplace(GetObjectName(part.name), part.tensor);
            }
        }
        for (const JobOpKind kind : {JobOpKind::UPDATE, JobOpKind::PULL})
        {
            for (auto& part : m_parts)
            {
                if (part.kind != kind)
                {
                    continue;
                }
                const bool pulls = kind == JobOpKind::PULL;
                const auto source = ChooseSource(pulls ? part.before : part.waits, pulls);
                const auto same = named.find(GetObjectName(part.name));
                part.tensor = source                ? m_parts[*source].tensor
                              : same != named.end() ? same->second
                                                    : tensors++;
            }
        }
        m_made.profile.tensors.resize(tensors);
    }

    /// A collective of several tensors has several updates; a tensor of a profile has one.
    void MergeUpdates()
    {
        std::map<TensorIndex, uint32_t> first;
        for (uint32_t index = 0; index < m_parts.size(); ++index)
        {
            JobPart& part = m_parts[index];
            if (part.kind != JobOpKind::UPDATE)
            {
                continue;
            }
            const auto [place, added] = first.emplace(part.tensor, index);
            if (added)
            {
                continue;
            }
            for (const auto& [worker, ops] : part.of)
            {
                auto& all = m_parts[place->second].of[worker];
                all.insert(all.end(), ops.begin(), ops.end());
            }
            part.of.clear();
        }
    }

    void FindServers()
    {
        constexpr uint32_t UNKNOWN = NO_INDEX;
        m_made.servers.assign(m_made.profile.tensors.size(), UNKNOWN);
        bool whole = !m_made.collective;
        for (const auto& part : m_parts)
        {
            for (const auto& [worker, ops] : part.of)
            {
                for (const GlobalOp op : ops)
                {
                    const auto server = FindServer(m_job.ops[op].op);
                    if (server)
                    {
                        uint32_t& known = m_made.servers[part.tensor];
                        whole = whole && (known == UNKNOWN || known == *server);
                        known = *server;
                    }
                }
            }
        }
        if (!whole)
        {
            m_made.servers.clear();
        }
        std::replace(m_made.servers.begin(), m_made.servers.end(), UNKNOWN, 0U);
    }

    /// @return the server of a channel that an op runs on
    std::optional<uint32_t> FindServer(const JobOp& op) const
    {
        if (op.device == JobOp::NO_DEVICE ||
            (op.kind != JobOpKind::PULL && op.kind != JobOpKind::PUSH))
        {
            return std::nullopt;
        }
        const std::string role = GetDeviceRole(m_job.devices[op.device]);
        const std::size_t number = role.rfind(' ') + 1; // of "downlink PS 0"
        uint32_t server = 0;
        const auto [end, error] =
            std::from_chars(role.data() + number, role.data() + role.size(), server);
        if (error != std::errc() || end != role.data() + role.size() || server >= m_job.servers)
        {
            return std::nullopt;
        }
        return server;
    }

    const JobStep& m_job;                        //!< one step
    JobProfile& m_made;                          //!< of it
    std::vector<uint32_t> m_partOf;              //!< by op of the job; NO_INDEX: none
    std::vector<std::vector<GlobalOp>> m_waits;  //!< by op: those it waits for in the same step
    std::vector<std::vector<GlobalOp>> m_before; //!< by op: those it waits for in the step before
    std::map<uint32_t, uint32_t> m_claims;       //!< by part: updates and pulls that wait for it
    std::vector<JobPart> m_parts;                //!< under construction
};

} // namespace

OpKind
GetProfileKind(JobOpKind kind)
{
    switch (kind)
    {
    case JobOpKind::FORWARD:
        return OpKind::FORWARD;
    case JobOpKind::BACKWARD:
        return OpKind::BACKWARD;
    case JobOpKind::PULL:
        return OpKind::PULL;
    case JobOpKind::PUSH:
    case JobOpKind::COLLECTIVE:
        return OpKind::PUSH;
    case JobOpKind::UPDATE:
        return OpKind::UPDATE;
    default:
        return OpKind::COMPUTE;
    }
}

bool
SendsGradient(JobOpKind kind)
{
    return kind == JobOpKind::PUSH || kind == JobOpKind::COLLECTIVE;
}

std::string
GetObjectName(const std::string& name)
{
    const std::size_t slash = name.find('/');
    return slash == std::string::npos ? name : name.substr(slash + 1);
}

std::vector<JobPart>
FindJobParts(const JobStep& job, JobProfile& made)
{
    return JobPartFinder(job, made).Find();
}

} // namespace ns3::dml
