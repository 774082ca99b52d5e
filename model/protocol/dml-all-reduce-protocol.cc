/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-all-reduce-protocol.h"

#include "dml-collective-plan.h"
#include "dml-plan-edges.h"

#include "ns3/boolean.h"
#include "ns3/dml-gradient-groups.h"
#include "ns3/dml-ring-all-reduce.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(AllReduceProtocol);

namespace
{

/// Resources of a worker, in this order; channels follow.
struct WorkerResources
{
    static constexpr uint32_t COLLECTIVES = 0; //!< where collectives queue
    static constexpr uint32_t REDUCER = 1;     //!< what adds up
    static constexpr uint32_t DEVICES = 2;     //!< first device
};

/// Makes the ops of a plan from those of a profile.
class OpPlanner
{
  public:
    OpPlanner(StepPlan& plan, const Profile& profile, bool barrier)
        : m_plan(plan),
          m_profile(profile),
          m_barrier(barrier),
          m_planned(profile.graph.GetSize(), NO_INDEX)
    {
    }

    void AddOps()
    {
        for (OpIndex i = 0; i < m_planned.size(); ++i)
        {
            const Op& op = m_profile.graph.Get(i);
            if (op.kind == OpKind::PULL)
            {
                continue; // what it brings is there
            }
            PlannedOp planned;
            planned.profileOp = i;
            planned.tensor = op.tensor;
            if (op.kind == OpKind::PUSH)
            {
                planned.dispatch = Dispatch::COLLECTIVE;
                planned.resource = WorkerResources::COLLECTIVES;
                planned.bytes = m_profile.tensors[op.tensor].bytes;
            }
            else
            {
                planned.dispatch = Dispatch::DEVICE;
                planned.resource =
                    WorkerResources::DEVICES + (op.kind == OpKind::UPDATE ? 0 : op.device);
            }
            m_planned[i] = Add(planned, op.name);
        }
        if (m_barrier)
        {
            PlannedOp reduced;
            reduced.dispatch = Dispatch::JOIN;
            m_reduced = Add(reduced, "all gradients reduced");
        }
    }

    /// What of a step keeps the next one from beginning, and what waits for the step to begin,
    /// where steps overlap: a worker computes in the order of steps.
    void SetStepBounds(const PlanEdges& edges)
    {
        std::vector<bool> waits(m_plan.ops.size(), false);
        for (const auto& edge : edges.inStep)
        {
            waits[edge.second] = true;
        }
        for (OpIndex op = 0; op < m_plan.ops.size(); ++op)
        {
            PlannedOp& planned = m_plan.ops[op];
            planned.gates = planned.dispatch == Dispatch::DEVICE &&
                            m_profile.graph.Get(planned.profileOp).kind != OpKind::UPDATE;
            planned.begins = !waits[op];
        }
    }

    PlanEdges ListEdges() const
    {
        PlanEdges edges;
        for (OpIndex i = 0; i < m_planned.size(); ++i)
        {
            const OpKind kind = m_profile.graph.Get(i).kind;
            if (kind != OpKind::PULL)
            {
                AddDependencies(i, m_planned[i], edges);
            }
            if (kind == OpKind::PUSH && m_barrier)
            {
                edges.inStep.emplace_back(m_planned[i], m_reduced);
            }
            if (kind == OpKind::UPDATE && m_barrier)
            {
                edges.inStep.emplace_back(m_reduced, m_planned[i]);
            }
        }
        if (!m_barrier)
        {
            AddNextEdges(edges);
        }
        return edges;
    }

    /// @return the collectives in the order in which a step generates the gradients
    std::vector<PlannedCollective> ListCollectives() const
    {
        std::map<TensorIndex, OpIndex> ofTensor;
        for (OpIndex op = 0; op < m_plan.ops.size(); ++op)
        {
            if (m_plan.ops[op].dispatch == Dispatch::COLLECTIVE)
            {
                ofTensor[m_plan.ops[op].tensor] = op;
            }
        }
        std::vector<PlannedCollective> collectives;
        for (const TensorIndex tensor : OrderGradients(m_profile))
        {
            collectives.push_back({ofTensor.at(tensor), nullptr, {}, {}});
        }
        return collectives;
    }

  private:
    /// Let op @p after of the plan wait for all that op @p op of the profile waits for.
    void AddDependencies(OpIndex op, OpIndex after, PlanEdges& edges) const
    {
        for (const OpIndex before : m_profile.graph.GetDependencies(op))
        {
            if (m_planned[before] == NO_INDEX)
            {
                AddDependencies(before, after, edges); // a pull
            }
            else
            {
                edges.inStep.emplace_back(m_planned[before], after);
            }
        }
    }

    /// What waits for a pull waits for the tensor's update of the step before; a collective or
    /// update for its own, which nothing else may keep it behind.
    void AddNextEdges(PlanEdges& edges) const
    {
        std::map<TensorIndex, OpIndex> updates;
        for (OpIndex i = 0; i < m_planned.size(); ++i)
        {
            const Op& op = m_profile.graph.Get(i);
            if (op.kind == OpKind::UPDATE)
            {
                updates[op.tensor] = m_planned[i];
            }
        }
        for (OpIndex i = 0; i < m_planned.size(); ++i)
        {
            const OpKind kind = m_profile.graph.Get(i).kind;
            if (kind == OpKind::PUSH || kind == OpKind::UPDATE)
            {
                edges.toNext.emplace_back(m_planned[i], m_planned[i]); // one after the other
            }
            for (const OpIndex before : m_profile.graph.GetDependencies(i))
            {
                const Op& op = m_profile.graph.Get(before);
                const auto update = updates.find(op.tensor);
                if (op.kind == OpKind::PULL && m_planned[i] != NO_INDEX && update != updates.end())
                {
                    edges.toNext.emplace_back(update->second, m_planned[i]);
                }
            }
        }
    }

    OpIndex Add(const PlannedOp& op, const std::string& name)
    {
        m_plan.ops.push_back(op);
        m_plan.names.push_back(name);
        return m_plan.ops.size() - 1;
    }

    StepPlan& m_plan;               //!< plan under construction
    const Profile& m_profile;       //!< of the job
    bool m_barrier;                 //!< updates wait for all gradients
    std::vector<OpIndex> m_planned; //!< by op of the profile; NO_INDEX: left out
    OpIndex m_reduced{0};           //!< done when all collectives are
};

/// @param setting racks of workers, and those that take part @param sort whether ranks are given
/// rack by rack @return the worker of each rank
std::vector<uint32_t>
ListRanks(const ProtocolSetting& setting, bool sort)
{
    const std::vector<uint32_t>& racks = setting.racks;
    std::vector<uint32_t> workers = setting.members;
    if (workers.empty())
    {
        workers.resize(racks.size());
        std::iota(workers.begin(), workers.end(), 0);
    }
    if (sort)
    {
        std::stable_sort(workers.begin(), workers.end(), [&racks](uint32_t a, uint32_t b) {
            return racks[a] < racks[b];
        });
    }
    return workers;
}

} // namespace

TypeId
AllReduceProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::AllReduceProtocol")
            .SetParent<Protocol>()
            .SetGroupName("Dml")
            .AddConstructor<AllReduceProtocol>()
            .AddAttribute("Algorithm",
                          "How a buffer is reduced; none: on a ring.",
                          PointerValue(),
                          MakePointerAccessor(&AllReduceProtocol::m_algorithm),
                          MakePointerChecker<CollectiveAlgorithm>())
            .AddAttribute("ReductionTime",
                          "Seconds per byte that adding up what was received takes.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&AllReduceProtocol::m_reduction),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Concurrent",
                          "Collectives of a worker that may be under way at the same time.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&AllReduceProtocol::m_concurrent),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SortByRack",
                          "Whether ranks are given rack by rack, else in the order of workers.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&AllReduceProtocol::m_sortByRack),
                          MakeBooleanChecker())
            .AddAttribute("Barrier",
                          "Whether updates, and with them the next step, wait until all gradients "
                          "have been reduced; else each waits for its own, and an op for the "
                          "updates of the tensors that it uses.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&AllReduceProtocol::m_barrier),
                          MakeBooleanChecker())
            .AddAttribute(
                "Cycle",
                "Time from cycle to cycle in which workers agree which gradients to "
                "reduce; 0: they reduce them in the order in which a step generates them.",
                TimeValue(Seconds(0)),
                MakeTimeAccessor(&AllReduceProtocol::m_cycle),
                MakeTimeChecker(Seconds(0)))
            .AddAttribute("Threshold",
                          "With Cycle: most bytes of gradients that are reduced as one buffer; 0: "
                          "each alone.",
                          UintegerValue(Negotiation::THRESHOLD),
                          MakeUintegerAccessor(&AllReduceProtocol::m_threshold),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Cached",
                          "With Cycle: whether gradients that have been agreed on before are named "
                          "by bits.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&AllReduceProtocol::m_cached),
                          MakeBooleanChecker())
            .AddAttribute("Waits",
                          "With Cycle: whether the next cycle waits until what was agreed on has "
                          "been reduced.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&AllReduceProtocol::m_waits),
                          MakeBooleanChecker());
    return tid;
}

bool
AllReduceProtocol::ChoosesBySize() const
{
    return m_algorithm && m_algorithm->ChoosesBySize();
}

StepPlan
AllReduceProtocol::MakePlan(const Profile& profile, const ProtocolSetting& setting) const
{
    StepPlan plan;
    plan.servers = 0;
    plan.devices = profile.devices.size();
    plan.reducer = WorkerResources::REDUCER;
    plan.reduction = m_reduction;
    plan.concurrent = m_concurrent;
    plan.resources = {{ResourceKind::COLLECTIVE, SELF, {}, 0, 1},
                      {ResourceKind::REDUCER, SELF, {}, 0, 1}};
    for (uint32_t device = 0; device < plan.devices; ++device)
    {
        plan.resources.push_back(
            {ResourceKind::DEVICE, SELF, {}, device, profile.devices[device].slots});
    }
    plan.overlaps = !m_barrier;
    if (Negotiates())
    {
        plan.negotiation = Negotiation{m_cycle.GetSeconds(), m_threshold, m_cached, m_waits};
    }
    OpPlanner planner(plan, profile, m_barrier);
    planner.AddOps();
    PlanEdges edges = planner.ListEdges();
    if (plan.overlaps)
    {
        planner.SetStepBounds(edges);
    }
    SetPlanEdges(plan, std::move(edges));
    SetPlanSeconds(plan, profile);
    plan.collectives = planner.ListCollectives();
    const auto workers = ListRanks(setting, m_sortByRack);
    Ptr<const CollectiveAlgorithm> algorithm = m_algorithm;
    if (!algorithm)
    {
        algorithm = CreateObject<RingAllReduce>();
    }
    AddCollectives(
        *algorithm->Place(CollectivePlaces{setting.racks, setting.tree}.OfRanks(workers)),
        workers,
        setting.racks.size(),
        setting.order,
        plan);
    return plan;
}

} // namespace ns3::dml
