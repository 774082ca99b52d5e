/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fusion-model.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr uint32_t NOWHERE = UINT32_MAX;

/// A job, and where its ops are in a FusionModel.
struct PlacedJob
{
    const JobStep& job;                        //!< the step
    std::vector<std::vector<GlobalOp>> before; //!< by op: what it waits for
    std::vector<uint32_t> places;              //!< by op: computed op of the model, or NOWHERE
};

/// @return computed ops of worker 0 that an op waits for, directly or through joins
std::vector<uint32_t>
FindComputed(const PlacedJob& placed, GlobalOp op)
{
    std::set<uint32_t> found;
    std::set<GlobalOp> seen;
    std::vector<GlobalOp> open{placed.before[op]};
    while (!open.empty())
    {
        const GlobalOp before = open.back();
        open.pop_back();
        const JobOp& known = placed.job.ops[before].op;
        if (known.worker != 0 || !seen.insert(before).second)
        {
            continue;
        }
        if (placed.places[before] != NOWHERE)
        {
            found.insert(placed.places[before]);
        }
        else if (known.kind == JobOpKind::JOIN)
        {
            open.insert(open.end(), placed.before[before].begin(), placed.before[before].end());
        }
    }
    return {found.begin(), found.end()};
}

void
AddOps(PlacedJob& placed, FusionModel& model)
{
    const JobStep& job = placed.job;
    std::map<std::pair<JobOpKind, uint32_t>, uint32_t> known;
    std::map<uint32_t, uint32_t> devices; // of worker 0
    for (GlobalOp op = 0; op < job.ops.size(); ++op)
    {
        const JobOp& one = job.ops[op].op;
        if (one.worker != 0 || !IsComputed(one.kind))
        {
            continue;
        }
        const uint32_t device = devices.emplace(one.device, devices.size()).first->second;
        known[{one.kind, one.name}] = placed.places[op] = model.ops.size();
        model.ops.push_back({job.names[one.name],
                             one.kind,
                             device,
                             std::vector<double>(job.workers, 0),
                             FindComputed(placed, op),
                             0});
    }
    for (const auto& mean : job.ops)
    {
        const auto place = known.find({mean.op.kind, mean.op.name});
        if (place != known.end())
        {
            model.ops[place->second].seconds[mean.op.worker] += mean.seconds;
        }
    }
}

/// @param tensors names, by name of an op
void
AddTensors(const PlacedJob& placed, const std::vector<std::string>& tensors, FusionModel& model)
{
    const JobStep& job = placed.job;
    std::map<GlobalOp, uint32_t> reduced; // collectives of worker 0: their tensors
    for (GlobalOp op = 0; op < job.ops.size(); ++op)
    {
        const JobOp& one = job.ops[op].op;
        if (one.worker == 0 && one.kind == JobOpKind::COLLECTIVE && one.name < tensors.size() &&
            !tensors[one.name].empty())
        {
            reduced[op] = model.tensors.size();
            model.tensors.push_back({tensors[one.name], one.bytes, FindComputed(placed, op), 0});
        }
    }
    for (const auto& [before, after] : job.inStep)
    {
        const JobOp& update = job.ops[after].op;
        const auto tensor = reduced.find(before);
        if (tensor != reduced.end() && update.worker == 0 && update.kind == JobOpKind::UPDATE)
        {
            model.tensors[tensor->second].update += job.ops[after].seconds;
        }
    }
    std::stable_sort(model.tensors.begin(),
                     model.tensors.end(),
                     [](const FusionTensor& a, const FusionTensor& b) {
                         return a.GetLastProducer() < b.GetLastProducer();
                     });
}

/// @param model of a step @param first op @param behind the last one of a group @param worker
/// @return seconds that they take as one
double
GetFusedSeconds(const FusionModel& model, uint32_t first, uint32_t behind, uint32_t worker)
{
    return GetFusedSeconds(model, first, behind, [worker](const FusionOp& op) {
        return op.seconds[worker];
    });
}

/// Makes a FusionGraph.
class FusionGraphMaker
{
  public:
    FusionGraphMaker(const FusionModel& model, const FusionPlan& plan, uint32_t workers)
        : m_model(model),
          m_plan(plan),
          m_workers(workers)
    {
        for (const auto& op : model.ops)
        {
            m_devices = std::max(m_devices, op.device + 1);
        }
        for (uint32_t group = 0; group < plan.ops.size(); ++group)
        {
            m_groups.resize(plan.ops[group], group);
        }
    }

    FusionGraph Make(const CollectiveMoves& moves, const std::vector<double>& sync)
    {
        for (uint32_t worker = 0; worker < m_workers; ++worker)
        {
            AddOps(worker);
        }
        const uint32_t links = GetDevice(m_workers, 0);
        GlobalOp previous = NO_GLOBAL_OP;
        for (uint32_t group = 0; group < m_plan.tensors.size(); ++group)
        {
            const GlobalOp entry = m_draft.AddJoin();
            m_entries.push_back(entry);
            for (uint32_t worker = 0; worker < m_workers; ++worker)
            {
                m_draft.AddDependency(AddEntry(group, worker), entry);
            }
            if (previous != NO_GLOBAL_OP)
            {
                m_draft.AddDependency(previous, entry);
            }
            previous = AddCollective(group, links, entry, moves, sync);
            m_reduced.push_back(previous);
            AddUpdates(group, previous);
        }
        return {m_draft.MakeGraph(),
                std::move(m_draft.seconds),
                {m_computed.begin(), m_computed.begin() + m_plan.ops.size()},
                std::move(m_entries),
                std::move(m_reduced)};
    }

  private:
    uint32_t GetDevice(uint32_t worker, uint32_t device) const
    {
        return GraphDraft::JOINS + 1 + worker * m_devices + device;
    }

    GlobalOp GetComputed(uint32_t worker, uint32_t op) const
    {
        return m_computed[worker * m_plan.ops.size() + m_groups[op]];
    }

    void AddOps(uint32_t worker)
    {
        for (uint32_t group = 0; group < m_plan.ops.size(); ++group)
        {
            const uint32_t first = m_plan.GetFirstOp(group);
            const uint32_t behind = m_plan.ops[group];
            m_computed.push_back(m_draft.Add(GetDevice(worker, m_model.ops[first].device),
                                             GetFusedSeconds(m_model, first, behind, worker)));
            for (uint32_t op = first; op < behind; ++op)
            {
                for (const uint32_t before : m_model.ops[op].deps)
                {
                    if (m_groups[before] != group)
                    {
                        m_draft.AddDependency(GetComputed(worker, before), m_computed.back());
                    }
                }
            }
        }
    }

    /// @return join of the gradients of a group, on a worker
    GlobalOp AddEntry(uint32_t group, uint32_t worker)
    {
        const GlobalOp entry = m_draft.AddJoin();
        for (uint32_t i = m_plan.GetFirstTensor(group); i < m_plan.tensors[group]; ++i)
        {
            for (const uint32_t op : m_model.tensors[i].producers)
            {
                m_draft.AddDependency(GetComputed(worker, op), entry);
            }
        }
        return entry;
    }

    GlobalOp AddCollective(uint32_t group,
                           uint32_t links,
                           GlobalOp entry,
                           const CollectiveMoves& moves,
                           const std::vector<double>& sync)
    {
        if (m_workers < moves.GetRanks())
        {
            const GlobalOp collective = m_draft.Add(links, sync[group]);
            m_draft.AddDependency(entry, collective);
            return collective;
        }
        const uint32_t parts = m_plan.parts[group];
        const GlobalOp end = m_draft.AddJoin();
        for (uint32_t part = 0; part < parts; ++part)
        {
            const GlobalOp reduced = moves.Add(m_draft,
                                               links,
                                               GetGroupBytes(m_model, m_plan, group) / parts,
                                               std::vector<GlobalOp>(m_workers, entry));
            m_draft.AddDependency(reduced, end);
        }
        return end;
    }

    void AddUpdates(uint32_t group, GlobalOp reduced)
    {
        double seconds = 0;
        for (uint32_t i = m_plan.GetFirstTensor(group); i < m_plan.tensors[group]; ++i)
        {
            seconds += m_model.tensors[i].update;
        }
        for (uint32_t worker = 0; worker < m_workers; ++worker)
        {
            m_draft.AddDependency(reduced, m_draft.Add(GetDevice(worker, 0), seconds));
        }
    }

    const FusionModel& m_model;       //!< of the step
    const FusionPlan& m_plan;         //!< for it
    uint32_t m_workers;               //!< in the graph
    uint32_t m_devices{1};            //!< of each worker
    std::vector<uint32_t> m_groups;   //!< by op: its group
    std::vector<GlobalOp> m_computed; //!< by worker, then by group of ops
    std::vector<GlobalOp> m_entries;  //!< by group of tensors
    std::vector<GlobalOp> m_reduced;  //!< by group of tensors
    GraphDraft m_draft;               //!< under construction
};

} // namespace

FusionModel
MakeFusionModel(const JobStep& job, const std::vector<std::string>& tensors)
{
    PlacedJob placed{job,
                     ListByWaiter(job.inStep, job.ops.size()),
                     std::vector<uint32_t>(job.ops.size(), NOWHERE)};
    FusionModel model;
    model.workers = job.workers;
    AddOps(placed, model);
    AddTensors(placed, tensors, model);
    return model;
}

FusionPlan
MakeSeparatePlan(const FusionModel& model)
{
    FusionPlan plan;
    plan.ops.resize(model.ops.size());
    plan.tensors.resize(model.tensors.size());
    std::iota(plan.ops.begin(), plan.ops.end(), 1);
    std::iota(plan.tensors.begin(), plan.tensors.end(), 1);
    plan.parts.assign(model.tensors.size(), 1);
    return plan;
}

FusionPlan
MakeCoarsePlan(const FusionModel& model)
{
    std::vector<bool> makes(model.ops.size(), false);
    for (const auto& tensor : model.tensors)
    {
        for (const uint32_t op : tensor.producers)
        {
            makes[op] = true;
        }
    }
    FusionPlan plan;
    for (uint32_t op = 0; op < model.ops.size(); ++op)
    {
        if (makes[op] || !CanFuse(model, op))
        {
            plan.ops.push_back(op + 1);
        }
    }
    for (uint32_t i = 0; i < model.tensors.size(); ++i)
    {
        if (i + 1 == model.tensors.size() ||
            model.tensors[i].producers != model.tensors[i + 1].producers)
        {
            plan.tensors.push_back(i + 1);
        }
    }
    plan.parts.assign(plan.tensors.size(), 1);
    return plan;
}

bool
CanFuse(const FusionModel& model, uint32_t op)
{
    return op + 1 < model.ops.size() && model.ops[op].kind == model.ops[op + 1].kind &&
           model.ops[op].device == model.ops[op + 1].device;
}

uint64_t
GetGroupBytes(const FusionModel& model, const FusionPlan& plan, uint32_t group)
{
    uint64_t bytes = 0;
    for (uint32_t i = plan.GetFirstTensor(group); i < plan.tensors[group]; ++i)
    {
        bytes += model.tensors[i].bytes;
    }
    return bytes;
}

FusionGraph
MakeFusionGraph(const FusionModel& model,
                const FusionPlan& plan,
                uint32_t workers,
                const CollectiveMoves& moves,
                const std::vector<double>& sync)
{
    return FusionGraphMaker(model, plan, workers).Make(moves, sync);
}

} // namespace ns3::dml
