/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-imported-job.h"

#include "ns3/dml-clock-alignment.h"
#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

double
GetMeanOf(const std::vector<double>& values)
{
    return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / values.size();
}

/// What is known of a transfer.
struct TransferSum
{
    double seconds{0};  //!< sum over the steps
    uint32_t count{0};  //!< steps
    std::string server; //!< machine at the other end
    bool used{false};   //!< an op of the profile is this transfer
};

/// Transfers of a worker, by tensor and whether they are downlink.
using TransferSums = std::map<std::pair<std::string, bool>, TransferSum>;

/// @param transfers of one worker, on one clock
/// @return how long they took, and who sent or received them
TransferSums
SumUp(std::vector<RecordedTransfer> transfers)
{
    std::sort(transfers.begin(),
              transfers.end(),
              [](const RecordedTransfer& a, const RecordedTransfer& b) {
                  return std::tie(a.step, a.end) < std::tie(b.step, b.end);
              });
    TransferSums sums;
    std::map<std::tuple<uint32_t, std::string, std::string>, int64_t> arrived;
    for (const auto& transfer : transfers)
    {
        int64_t start = transfer.start;
        if (transfer.ready != RecordedTransfer::UNKNOWN)
        {
            start = std::max(start, transfer.ready);
        }
        const int64_t end =
            transfer.lastByte != RecordedTransfer::UNKNOWN ? transfer.lastByte : transfer.end;
        const auto [last, first] =
            arrived.try_emplace({transfer.step, transfer.sender, transfer.receiver}, end);
        if (!first)
        {
            start = std::max(start, last->second);
            last->second = end;
        }
        TransferSum& sum = sums[{transfer.tensor, transfer.downlink}];
        sum.seconds += static_cast<double>(std::max<int64_t>(0, end - start)) * 1e-9;
        ++sum.count;
        sum.server = transfer.downlink ? transfer.sender : transfer.receiver;
    }
    return sums;
}

/// @param places of names in a list @return that of @p name, which is added if it is new
uint32_t
FindPlace(std::map<std::string, uint32_t>& places,
          std::vector<std::string>& list,
          const std::string& name)
{
    const auto [place, added] = places.emplace(name, list.size());
    if (added)
    {
        list.push_back(name);
    }
    return place->second;
}

/// Puts the graph together.
class JobJoiner
{
  public:
    JobJoiner(const std::vector<ImportResult>& imports,
              const ImportResult& together,
              TraceClocks clocks)
        : m_imports(imports),
          m_protocol(together.protocol),
          m_clocks(clocks)
    {
    }

    JobStep Join()
    {
        CheckWorkers();
        const Profile& first = m_imports.front().profile;
        m_step.model = first.model;
        m_step.batch = first.batchSize;
        m_step.source = first.source;
        m_step.workers = m_imports.size();
        m_step.steps = std::numeric_limits<uint32_t>::max();
        m_collective = !m_protocol.collectives.empty();
        const bool servers =
            std::any_of(m_imports.begin(), m_imports.end(), [](const auto& import) {
                return !import.transfers.empty();
            });
        if (!m_collective && !servers)
        {
            throw InputError("the traces have neither collectives nor transfers; accepted: traces "
                             "that tell how gradients are synchronised");
        }
        ReadTransfers();
        for (uint32_t worker = 0; worker < m_step.workers; ++worker)
        {
            AddWorker(worker);
        }
        JoinCollectives();
        for (const auto& [machine, index] : m_servers)
        {
            m_step.servers = std::max(m_step.servers, index + 1);
        }
        return std::move(m_step);
    }

  private:
    /// Bring the records of all workers to one clock, if they shall.
    void ReadTransfers()
    {
        std::vector<RecordedTransfer> all;
        for (const auto& import : m_imports)
        {
            all.insert(all.end(), import.transfers.begin(), import.transfers.end());
        }
        if (all.empty())
        {
            m_transfers.resize(m_step.workers);
            return;
        }
        const ClockAlignment alignment =
            m_clocks == TraceClocks::ALIGNED ? AlignClocks(all) : ClockAlignment{};
        m_step.rules = alignment.rules;
        if (m_clocks != TraceClocks::ALIGNED)
        {
            m_step.rules.emplace_back("clocks: taken for one");
        }
        m_step.unmatched = alignment.warnings;
        for (const auto& import : m_imports)
        {
            auto transfers = import.transfers;
            ApplyClocks(transfers, alignment);
            m_transfers.push_back(SumUp(std::move(transfers)));
            for (const auto& [key, sum] : m_transfers.back())
            {
                m_servers.emplace(sum.server, m_servers.size());
            }
        }
    }

    GlobalOp Add(JobOpKind kind,
                 const std::string& name,
                 uint32_t worker,
                 const std::string& device,
                 double seconds,
                 uint64_t bytes = 0)
    {
        MeanOp mean;
        mean.op = {kind, FindPlace(m_names, m_step.names, name), worker, 0, bytes};
        mean.op.device =
            device.empty() ? JobOp::NO_DEVICE : FindPlace(m_devices, m_step.devices, device);
        mean.seconds = seconds;
        m_step.ops.push_back(mean);
        return m_step.ops.size() - 1;
    }

    void AddWorker(uint32_t worker)
    {
        const ImportResult& import = m_imports[worker];
        const Profile& profile = import.profile;
        CheckSame(profile, worker);
        const std::string own = "worker " + std::to_string(worker) + ", ";
        std::vector<GlobalOp> placed(profile.graph.GetSize());
        const GlobalOp begins = Add(JobOpKind::JOIN, "step begins", worker, "", 0);
        const GlobalOp ends = Add(JobOpKind::JOIN, "step ends", worker, "", 0);
        for (OpIndex op = 0; op < placed.size(); ++op)
        {
            placed[op] = AddOp(worker, own, op);
        }
        std::vector<bool> waits(placed.size(), false);
        for (OpIndex op = 0; op < placed.size(); ++op)
        {
            for (const OpIndex after : profile.graph.GetDependents(op))
            {
                waits[after] = true;
                m_step.inStep.emplace_back(placed[op], placed[after]);
            }
            if (profile.graph.GetDependents(op).empty())
            {
                m_step.inStep.emplace_back(placed[op], ends);
            }
        }
        for (OpIndex op = 0; op < placed.size(); ++op)
        {
            if (!waits[op])
            {
                m_step.inStep.emplace_back(begins, placed[op]);
            }
        }
        m_step.toNext.emplace_back(ends, begins);
        m_step.measured.push_back({GetMeanOf(import.stepSeconds), 0, 0});
        const uint32_t steps =
            import.stepSeconds.empty() ? profile.GetSampleCount() : import.stepSeconds.size();
        m_step.steps = std::min(m_step.steps, steps);
        const auto& transfers = m_transfers[worker];
        const std::size_t unused =
            std::count_if(transfers.begin(), transfers.end(), [](const auto& transfer) {
                return !transfer.second.used;
            });
        if (unused > 0)
        {
            m_step.unmatched.push_back("worker " + std::to_string(worker) + ": " +
                                       std::to_string(unused) +
                                       " recorded transfers of no tensor of the profile");
        }
    }

    /// @return the file of a worker
    std::string GetFile(uint32_t worker) const
    {
        for (const auto& [key, value] : m_imports[worker].profile.source)
        {
            if (key == "file")
            {
                return value;
            }
        }
        return "file " + std::to_string(worker + 1);
    }

    /// @throws InputError if two traces are of one worker, as of two cycles of a profiler
    void CheckWorkers() const
    {
        std::map<uint32_t, uint32_t> known; // import by rank
        for (uint32_t worker = 0; worker < m_imports.size(); ++worker)
        {
            const auto& rank = m_imports[worker].worker;
            const auto [first, isNew] =
                rank ? known.emplace(*rank, worker) : std::make_pair(known.end(), true);
            if (!isNew)
            {
                throw InputError(GetFile(first->second) + " and " + GetFile(worker) +
                                 " are two traces of worker " + std::to_string(*rank) +
                                 " (rank); accepted: one trace of each worker. Traces of one "
                                 "worker make a profile together (dml import auto)");
            }
        }
    }

    void CheckSame(const Profile& profile, uint32_t worker) const
    {
        const auto& first = m_imports.front().profile.tensors;
        const bool same = std::equal(first.begin(),
                                     first.end(),
                                     profile.tensors.begin(),
                                     profile.tensors.end(),
                                     [](const Tensor& a, const Tensor& b) {
                                         return a.name == b.name && a.bytes == b.bytes;
                                     });
        if (!same)
        {
            throw InputError("worker " + std::to_string(worker) +
                             " has other tensors than worker 0; accepted are traces of one job");
        }
        const uint32_t batch = m_imports.front().profile.batchSize;
        if (profile.batchSize != batch)
        {
            throw InputError(GetFile(worker) + " has " + Plural(profile.batchSize, "sample") +
                             " a step and " + GetFile(0) + " " + std::to_string(batch) +
                             "; accepted are traces of one job, whose workers have equal batches");
        }
    }

    GlobalOp AddOp(uint32_t worker, const std::string& own, OpIndex index)
    {
        const Profile& profile = m_imports[worker].profile;
        const Op& op = profile.graph.Get(index);
        const double seconds = GetMeanOf(profile.samples[index]);
        if (op.kind == OpKind::UPDATE)
        {
            return Add(JobOpKind::UPDATE,
                       op.name,
                       worker,
                       m_collective ? own + profile.devices.front().name
                                    : "PS, for worker " + std::to_string(worker),
                       seconds);
        }
        if (RunsOnDevice(op.kind))
        {
            return Add(GetJobOpKind(op.kind),
                       op.name,
                       worker,
                       own + profile.devices[op.device].name,
                       seconds);
        }
        return m_collective ? AddReduced(worker, op) : AddTransfer(worker, own, op);
    }

    GlobalOp AddTransfer(uint32_t worker, const std::string& own, const Op& op)
    {
        const bool downlink = op.kind == OpKind::PULL;
        const Tensor& tensor = m_imports[worker].profile.tensors[op.tensor];
        const auto sum = m_transfers[worker].find({tensor.name, downlink});
        const bool known = sum != m_transfers[worker].end();
        if (!known)
        {
            m_step.unmatched.push_back("worker " + std::to_string(worker) + ": no record of " +
                                       op.name + ": it takes no time");
        }
        else
        {
            sum->second.used = true;
        }
        const uint32_t server = known ? m_servers.at(sum->second.server) : 0;
        return Add(downlink ? JobOpKind::PULL : JobOpKind::PUSH,
                   op.name,
                   worker,
                   own + (downlink ? "downlink PS " : "uplink PS ") + std::to_string(server),
                   known ? sum->second.seconds / sum->second.count : 0,
                   tensor.bytes);
    }

    /// A pull is there; a push joins its collective, see JoinCollectives().
    GlobalOp AddReduced(uint32_t worker, const Op& op)
    {
        const GlobalOp join = Add(JobOpKind::JOIN, op.name, worker, "", 0);
        if (op.kind == OpKind::PUSH)
        {
            m_pushes[{worker, m_imports[worker].profile.tensors[op.tensor].name}] = join;
        }
        return join;
    }

    /// Between the backward ops that make the gradients of a collective and what waits for them.
    void JoinCollectives()
    {
        uint32_t number = 0;
        std::size_t tensors = 0;
        for (const auto& collective : m_protocol.collectives)
        {
            if (collective.tensors.empty())
            {
                continue; // nothing tells what waits for it
            }
            const std::string name = "all-reduce " + std::to_string(number++);
            const auto& took =
                collective.transfer.empty() ? collective.recorded : collective.transfer;
            for (uint32_t worker = 0; worker < m_step.workers; ++worker)
            {
                const GlobalOp reduced = Add(JobOpKind::COLLECTIVE,
                                             name,
                                             worker,
                                             "worker " + std::to_string(worker) + ", collectives",
                                             GetMeanOf(took),
                                             collective.bytes);
                for (const auto& tensor : collective.tensors)
                {
                    tensors += worker == 0 ? 1 : 0;
                    m_reduced[{worker, tensor}] = reduced;
                }
            }
        }
        if (m_collective)
        {
            MoveToCollectives();
            ReportCollectives(tensors);
        }
    }

    /// What waits for a push waits for its collective instead, which waits for the pushes of all.
    void MoveToCollectives()
    {
        std::map<GlobalOp, GlobalOp> reducedBy; // by push
        GlobalGraph::Dependencies entries;
        for (const auto& [key, push] : m_pushes)
        {
            const auto reduced = m_reduced.find(key);
            if (reduced == m_reduced.end())
            {
                continue;
            }
            reducedBy[push] = reduced->second;
            for (uint32_t worker = 0; worker < m_step.workers; ++worker)
            {
                const auto other = m_reduced.find({worker, key.second});
                if (other != m_reduced.end())
                {
                    entries.emplace_back(push, other->second);
                }
            }
        }
        for (auto& [before, after] : m_step.inStep)
        {
            const auto reduced = reducedBy.find(before);
            before = reduced == reducedBy.end() ? before : reduced->second;
        }
        m_step.inStep.insert(m_step.inStep.end(), entries.begin(), entries.end());
    }

    void ReportCollectives(std::size_t tensors)
    {
        const std::size_t pushes = m_pushes.size() / m_step.workers;
        if (tensors < pushes)
        {
            m_step.unmatched.push_back(std::to_string(pushes - tensors) +
                                       " gradients of which no trace tells the collective");
        }
        if (m_protocol.workers > m_step.workers)
        {
            m_step.unmatched.push_back(std::to_string(m_protocol.workers - m_step.workers) +
                                       " workers that took part and of which there is no trace");
        }
    }

    const std::vector<ImportResult>& m_imports; //!< by worker
    const FoundProtocol& m_protocol;            //!< of all
    TraceClocks m_clocks;                       //!< of machines
    bool m_collective{false};                   //!< gradients are reduced among workers
    std::vector<TransferSums> m_transfers;      //!< by worker
    std::map<std::string, uint32_t> m_servers;  //!< numbers of machines
    std::map<std::string, uint32_t> m_devices;  //!< places
    std::map<std::string, uint32_t> m_names;    //!< places
    std::map<std::pair<uint32_t, std::string>, GlobalOp> m_pushes;  //!< by worker and tensor
    std::map<std::pair<uint32_t, std::string>, GlobalOp> m_reduced; //!< likewise: its collective
    JobStep m_step;                                                 //!< under construction
};

} // namespace

JobStep
MakeImportedJob(const std::vector<ImportResult>& imports,
                const ImportResult& together,
                TraceClocks clocks)
{
    return JobJoiner(imports, together, clocks).Join();
}

} // namespace ns3::dml
