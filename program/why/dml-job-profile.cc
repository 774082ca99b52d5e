/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-profile.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return @p name, or with @p kind behind it if it is taken, which it is from now on
std::string
TakeName(std::set<std::string>& taken, const std::string& name, JobOpKind kind)
{
    std::string free = name;
    while (!taken.insert(free).second)
    {
        free += " (" + ToString(kind) + ")";
    }
    return free;
}

/// Makes a JobProfile.
class JobProfileMaker
{
  public:
    explicit JobProfileMaker(const JobStep& job)
        : m_job(job),
          m_parts(FindJobParts(job, m_made))
    {
    }

    JobProfile Make()
    {
        AddTensors();
        AddOps();
        AddDependencies();
        MeasureParsing();
        return std::move(m_made);
    }

  private:
    void AddTensors()
    {
        Profile& profile = m_made.profile;
        profile.model = m_job.model;
        profile.batchSize = m_job.batch;
        profile.source = m_job.source;
        std::set<std::string> names;
        for (const auto& part : m_parts)
        {
            if (part.tensor == NO_INDEX)
            {
                continue;
            }
            Tensor& tensor = profile.tensors[part.tensor];
            if (tensor.name.empty())
            {
                tensor.name = TakeName(names, GetObjectName(part.name), part.kind);
            }
            for (const auto& [worker, ops] : part.of)
            {
                uint64_t bytes = 0;
                for (const GlobalOp op : ops)
                {
                    bytes += m_job.ops[op].op.bytes;
                }
                tensor.bytes = std::max(tensor.bytes, bytes);
            }
        }
    }

    /// @return device of a part that computes, which is one more slot for each of its names
    uint32_t FindDevice(const JobPart& part)
    {
        const uint32_t device = m_job.ops[part.of.begin()->second.front()].op.device;
        const std::string& whole = device == JobOp::NO_DEVICE ? part.name : m_job.devices[device];
        const std::string role = device == JobOp::NO_DEVICE ? whole : GetDeviceRole(whole);
        auto& devices = m_made.profile.devices;
        const auto [place, added] = m_devices.emplace(role, devices.size());
        if (added)
        {
            devices.push_back({role, 0});
        }
        if (m_slots.insert(whole).second)
        {
            ++devices[place->second].slots;
        }
        return place->second;
    }

    void AddOps()
    {
        m_opOf.assign(m_parts.size(), NO_INDEX);
        m_pullOf.assign(m_made.profile.tensors.size(), NO_INDEX);
        if (m_made.collective)
        {
            for (const auto& part : m_parts)
            {
                if (part.kind == JobOpKind::COLLECTIVE)
                {
                    AddPull(part.tensor, "pull of " + part.name);
                }
            }
        }
        for (uint32_t index = 0; index < m_parts.size(); ++index)
        {
            const JobPart& part = m_parts[index];
            if (part.of.empty() || (m_made.collective && part.kind == JobOpKind::PULL))
            {
                continue;
            }
            if (part.kind == JobOpKind::PULL)
            {
                m_opOf[index] = AddPull(part.tensor, part.name);
                continue;
            }
            Op op;
            op.name = TakeName(m_names, part.name, part.kind);
            op.kind = GetProfileKind(part.kind);
            op.tensor = part.tensor;
            op.device = RunsOnDevice(op.kind) ? FindDevice(part) : 0;
            m_opOf[index] = m_made.profile.graph.Add(op);
            m_made.profile.samples.push_back(IsTransfer(op.kind) ? std::vector<double>()
                                                                 : GetSeconds(part));
        }
        if (m_made.profile.devices.empty())
        {
            m_made.profile.devices.push_back({"device", 1});
        }
    }

    OpIndex AddPull(TensorIndex tensor, const std::string& name)
    {
        Op op;
        op.name = TakeName(m_names, name, JobOpKind::PULL);
        op.kind = OpKind::PULL;
        op.tensor = tensor;
        m_made.profile.samples.emplace_back();
        return m_pullOf[tensor] = m_made.profile.graph.Add(op);
    }

    /// @return by worker: how long the part takes; of one that has none, as the first that has
    std::vector<double> GetSeconds(const JobPart& part) const
    {
        std::vector<double> seconds(m_job.workers, -1);
        for (const auto& [worker, ops] : part.of)
        {
            seconds[worker] = 0;
            for (const GlobalOp op : ops)
            {
                seconds[worker] += m_job.ops[op].seconds;
            }
        }
        const double first = seconds[part.of.begin()->first];
        std::replace(seconds.begin(), seconds.end(), -1.0, first);
        return seconds;
    }

    void AddDependencies()
    {
        OpGraph& graph = m_made.profile.graph;
        for (uint32_t index = 0; index < m_parts.size(); ++index)
        {
            const OpIndex op = m_opOf[index];
            if (op == NO_INDEX || graph.Get(op).kind == OpKind::PULL)
            {
                continue;
            }
            for (const uint32_t before : m_parts[index].waits)
            {
                const JobPart& waited = m_parts[before];
                const bool gradient = SendsGradient(waited.kind);
                const bool update = m_parts[index].kind == JobOpKind::UPDATE;
                // of gradients and updates, only its own tensor's are a profile's affair
                if (m_opOf[before] != NO_INDEX && waited.kind != JobOpKind::UPDATE &&
                    (!gradient || (update && waited.tensor == m_parts[index].tensor)))
                {
                    graph.AddDependency(m_opOf[before], op);
                }
            }
            for (const uint32_t before : m_parts[index].before)
            {
                const TensorIndex tensor = m_parts[before].tensor;
                if (m_made.collective && IsComputed(m_parts[index].kind) && tensor != NO_INDEX &&
                    m_pullOf[tensor] != NO_INDEX)
                {
                    graph.AddDependency(m_pullOf[tensor], op);
                }
            }
        }
        BeginWithPulls();
        m_made.profile.Validate();
    }

    /// A step's first ops wait for parameters for which no op waits in the graph.
    void BeginWithPulls()
    {
        OpGraph& graph = m_made.profile.graph;
        std::vector<OpIndex> first;
        for (OpIndex op = 0; op < graph.GetSize(); ++op)
        {
            const auto waits = graph.GetDependencies(op);
            if (RunsOnDevice(graph.Get(op).kind) &&
                std::all_of(waits.begin(), waits.end(), [&graph](OpIndex before) {
                    return graph.Get(before).kind == OpKind::PULL;
                }))
            {
                first.push_back(op);
            }
        }
        for (const OpIndex pull : m_pullOf)
        {
            if (pull != NO_INDEX && graph.GetDependents(pull).empty())
            {
                for (const OpIndex op : first)
                {
                    graph.AddDependency(pull, op);
                }
            }
        }
    }

    void MeasureParsing()
    {
        std::set<uint32_t> computing;
        double seconds = 0;
        double bytes = 0;
        for (const auto& mean : m_job.ops)
        {
            bytes += IsSent(mean.op.kind) ? mean.op.bytes : 0;
            seconds += mean.op.kind == JobOpKind::PARSE ? mean.seconds : 0;
            if (IsComputed(mean.op.kind))
            {
                computing.insert(mean.op.device);
            }
        }
        m_made.parseSecondsPerByte = bytes > 0 ? seconds / bytes : 0;
        m_made.parsesInParallel =
            std::none_of(m_job.ops.begin(), m_job.ops.end(), [&computing](const MeanOp& mean) {
                return mean.op.kind == JobOpKind::PARSE && computing.count(mean.op.device) > 0;
            });
    }

    const JobStep& m_job;                      //!< one step
    JobProfile m_made;                         //!< under construction
    std::vector<JobPart> m_parts;              //!< which become ops of the profile
    std::vector<OpIndex> m_opOf;               //!< by part: its op of the profile
    std::vector<OpIndex> m_pullOf;             //!< by tensor
    std::map<std::string, uint32_t> m_devices; //!< of the profile, by name
    std::set<std::string> m_names;             //!< of ops of the profile
    std::set<std::string> m_slots;             //!< devices of the job that were counted
};

} // namespace

JobProfile
MakeJobProfile(const JobStep& job)
{
    return JobProfileMaker(job).Make();
}

} // namespace ns3::dml
