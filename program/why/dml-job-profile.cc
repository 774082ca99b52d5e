/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-profile.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// An op of the profile: ops of the job of one kind and name, of all workers.
struct Part
{
    JobOpKind kind;                               //!< what it does
    std::string name;                             //!< of the ops
    std::map<uint32_t, std::vector<GlobalOp>> of; //!< by worker: its chunks and their way
    std::set<uint32_t> waits;                     //!< parts that it waits for in the same step
    std::set<uint32_t> before;                    //!< parts that it waits for in the step before
    TensorIndex tensor{NO_INDEX};                 //!< that is sent or updated
};

/// @return kind of an op of a profile that does what @p kind does
OpKind
GetOpKind(JobOpKind kind)
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

/// @return name of an op without its first word
std::string
GetObject(const std::string& name)
{
    const std::size_t slash = name.find('/');
    return slash == std::string::npos ? name : name.substr(slash + 1);
}

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
          m_partOf(job.ops.size(), NO_INDEX),
          m_waits(job.ops.size()),
          m_before(job.ops.size())
    {
    }

    JobProfile Make()
    {
        FindParts();
        for (const auto& [before, after] : m_job.inStep)
        {
            m_waits[after].push_back(before);
        }
        for (const auto& [before, after] : m_job.toNext)
        {
            m_before[after].push_back(before);
        }
        for (uint32_t part = 0; part < m_parts.size(); ++part)
        {
            FindWaits(part);
        }
        FindTensors();
        MergeUpdates();
        FindServers();
        AddTensors();
        AddOps();
        AddDependencies();
        MeasureParsing();
        return std::move(m_made);
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
                Part part;
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
        Part& part = m_parts[index];
        const uint32_t worker = part.of.begin()->first;
        std::vector<GlobalOp> open = part.of.begin()->second;
        std::set<GlobalOp> seen(open.begin(), open.end());
        const auto find = [&](GlobalOp op, std::set<uint32_t>& found) {
            found.insert(m_partOf[op]);
            const bool own = m_job.ops[op].op.worker == worker;
            m_made.rounds =
                m_made.rounds || (!own && !m_made.collective && NeedsTensor(GetOpKind(part.kind)));
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
                named.emplace(GetObject(part.name), part.tensor);
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
                const auto same = named.find(GetObject(part.name));
                part.tensor = source                ? m_parts[*source].tensor
                              : same != named.end() ? same->second
                                                    : tensors++;
            }
        }
        m_tensors = tensors;
    }

    /// A collective of several tensors has several updates; a tensor of a profile has one.
    void MergeUpdates()
    {
        std::map<TensorIndex, uint32_t> first;
        for (uint32_t index = 0; index < m_parts.size(); ++index)
        {
            Part& part = m_parts[index];
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
        m_made.servers.assign(m_tensors, UNKNOWN);
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

    void AddTensors()
    {
        Profile& profile = m_made.profile;
        profile.model = m_job.model;
        profile.batchSize = m_job.batch;
        profile.source = m_job.source;
        profile.tensors.resize(m_tensors);
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
                tensor.name = TakeName(names, GetObject(part.name), part.kind);
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
    uint32_t FindDevice(const Part& part)
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
        m_pullOf.assign(m_tensors, NO_INDEX);
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
            const Part& part = m_parts[index];
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
            op.kind = GetOpKind(part.kind);
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
    std::vector<double> GetSeconds(const Part& part) const
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
                const Part& waited = m_parts[before];
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

    const JobStep& m_job;                        //!< one step
    std::vector<uint32_t> m_partOf;              //!< by op of the job; NO_INDEX: none
    std::vector<std::vector<GlobalOp>> m_waits;  //!< by op: those it waits for in the same step
    std::vector<std::vector<GlobalOp>> m_before; //!< by op: those it waits for in the step before
    std::vector<Part> m_parts;                   //!< in the order of the job
    std::map<uint32_t, uint32_t> m_claims;       //!< by part: updates and pulls that wait for it
    uint32_t m_tensors{0};                       //!< number
    std::vector<OpIndex> m_opOf;                 //!< by part: its op of the profile
    std::vector<OpIndex> m_pullOf;               //!< by tensor
    std::map<std::string, uint32_t> m_devices;   //!< of the profile, by name
    std::set<std::string> m_names;               //!< of ops of the profile
    std::set<std::string> m_slots;               //!< devices of the job that were counted
    JobProfile m_made;                           //!< under construction
};

} // namespace

JobProfile
MakeJobProfile(const JobStep& job)
{
    return JobProfileMaker(job).Make();
}

} // namespace dml
} // namespace ns3
