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
#include "ns3/uinteger.h"

#include <map>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(AllReduceProtocol);

namespace
{

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

    /// @param collectives resource where these queue @param devices resource of the first device
    void AddOps(uint32_t collectives, uint32_t devices)
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
                planned.resource = collectives;
                planned.bytes = m_profile.tensors[op.tensor].bytes;
            }
            else
            {
                planned.dispatch = Dispatch::DEVICE;
                planned.resource = devices + (op.kind == OpKind::UPDATE ? 0 : op.device);
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
                AddProfileEdges(m_profile, m_planned, i, m_planned[i], edges);
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
            collectives.emplace_back();
            collectives.back().op = ofTensor.at(tensor);
        }
        return collectives;
    }

  private:
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

} // namespace

TypeId
AllReduceProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::AllReduceProtocol")
            .SetParent<CollectiveProtocol>()
            .SetGroupName("Dml")
            .AddConstructor<AllReduceProtocol>()
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

StepPlan
AllReduceProtocol::MakePlan(const Profile& profile, const ProtocolSetting& setting) const
{
    StepPlan plan = StartPlan(profile);
    plan.overlaps = !m_barrier;
    if (Negotiates())
    {
        plan.negotiation = Negotiation{m_cycle.GetSeconds(), m_threshold, m_cached, m_waits};
    }
    OpPlanner planner(plan, profile, m_barrier);
    planner.AddOps(WorkerResources::COLLECTIVES, WorkerResources::DEVICES);
    PlanEdges edges = planner.ListEdges();
    if (plan.overlaps)
    {
        planner.SetStepBounds(edges);
    }
    SetPlanEdges(plan, std::move(edges));
    SetPlanSeconds(plan, profile);
    plan.collectives = planner.ListCollectives();
    const auto workers = ListRanks(setting);
    const CollectivePlaces places{setting.racks, setting.tree};
    AddCollectives(*ChooseAlgorithm()->Place(places.OfRanks(workers)),
                   {workers, static_cast<uint32_t>(setting.racks.size())},
                   setting.order,
                   plan);
    return plan;
}

} // namespace ns3::dml
