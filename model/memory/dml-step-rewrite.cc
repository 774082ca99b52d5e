/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-rewrite.h"

#include "dml-memory-model.h"

#include "ns3/dml-op-reach.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Makes the profile of several passes, in which ops run again.
class StepRewriter
{
  public:
    StepRewriter(const Profile& profile, const MemoryTimeline& pass, uint32_t passes)
        : m_profile(profile),
          m_phases(pass.phases),
          m_passes(passes),
          m_result(profile),
          m_late(FindLate())
    {
        m_result.graph = OpGraph();
        m_result.inputBytes = 0;
        m_result.residentBytes = 0;
    }

    Profile Run()
    {
        // the last pass has the names and places of the profile
        for (OpIndex op = 0; op < m_profile.graph.GetSize(); ++op)
        {
            Op copy = m_profile.graph.Get(op);
            copy.memory = {};
            m_names.insert(copy.name);
            m_result.graph.Add(std::move(copy));
            Shorten(op, m_result.samples[op]);
        }
        Copies before;
        for (uint32_t pass = 1; pass <= m_passes; ++pass)
        {
            const Copies copies = AddPass(pass);
            if (pass > 1)
            {
                WaitForPass(before, copies);
            }
            before = copies;
        }
        m_result.Validate();
        return std::move(m_result);
    }

  private:
    /// Ops of a pass, by op of the profile; NO_INDEX: there is none.
    struct Copies
    {
        std::vector<OpIndex> first; //!< the first time, and transfers and updates
        std::vector<OpIndex> again; //!< the second time
    };

    /// @return by op: whether it waits for a push or an update, and so for the last pass
    std::vector<bool> FindLate() const
    {
        const OpGraph& graph = m_profile.graph;
        std::vector<OpIndex> found;
        for (OpIndex op = 0; op < graph.GetSize(); ++op)
        {
            if (graph.Get(op).kind == OpKind::PUSH || graph.Get(op).kind == OpKind::UPDATE)
            {
                found.push_back(op);
            }
        }
        return MarkWithDependents(graph, std::move(found));
    }

    /// @return whether each pass runs it
    bool IsRepeated(OpIndex op) const
    {
        return RunsOnDevice(m_profile.graph.Get(op).kind) && !m_late[op];
    }

    /// Time of one pass.
    void Shorten(OpIndex op, std::vector<double>& samples) const
    {
        if (IsRepeated(op) && !IsAccumulation(m_profile.graph, op))
        {
            for (double& seconds : samples)
            {
                seconds /= m_passes;
            }
        }
    }

    OpIndex AddCopy(OpIndex op, OpKind kind, const std::string& remark)
    {
        Op copy = m_profile.graph.Get(op);
        copy.kind = kind;
        do
        {
            copy.name += " (" + remark + ")";
        } while (!m_names.insert(copy.name).second);
        copy.memory = {};
        m_result.samples.push_back(m_profile.samples[op]);
        Shorten(op, m_result.samples.back());
        return m_result.graph.Add(std::move(copy));
    }

    Copies AddPass(uint32_t pass)
    {
        const uint32_t size = m_profile.graph.GetSize();
        const bool last = pass == m_passes;
        const std::string name = last ? "" : "pass " + std::to_string(pass);
        Copies copies{std::vector<OpIndex>(size, NO_INDEX), std::vector<OpIndex>(size, NO_INDEX)};
        for (OpIndex op = 0; op < size; ++op)
        {
            if (last || !IsRepeated(op))
            {
                copies.first[op] = op;
            }
        }
        OpIndex previous = NO_INDEX;
        for (const auto& phase : m_phases)
        {
            OpIndex& copy = phase.again ? copies.again[phase.op] : copies.first[phase.op];
            if (phase.again)
            {
                copy = AddCopy(phase.op, OpKind::BACKWARD, last ? "again" : "again, " + name);
                m_result.graph.AddDependency(previous, copy);
            }
            else if (copy == NO_INDEX)
            {
                copy = AddCopy(phase.op, m_profile.graph.Get(phase.op).kind, name);
            }
            previous = IsRepeated(phase.op) ? copy : previous;
        }
        for (OpIndex op = 0; op < size; ++op)
        {
            if (last || IsRepeated(op))
            {
                AddDependencies(op, copies);
            }
        }
        return copies;
    }

    void AddDependencies(OpIndex op, const Copies& copies)
    {
        const bool backward = m_profile.graph.Get(op).kind == OpKind::BACKWARD;
        for (const OpIndex before : m_profile.graph.GetDependencies(op))
        {
            m_result.graph.AddDependency(copies.first[before], copies.first[op]);
            if (backward && copies.again[before] != NO_INDEX)
            {
                m_result.graph.AddDependency(copies.again[before], copies.first[op]);
            }
        }
    }

    /// What begins a pass waits for what ends the one before it.
    void WaitForPass(const Copies& before, const Copies& pass)
    {
        const OpGraph& graph = m_profile.graph;
        const auto isRepeated = [this](OpIndex op) { return IsRepeated(op); };
        const auto hasRepeated = [&](const std::vector<OpIndex>& ops) {
            return std::any_of(ops.begin(), ops.end(), isRepeated);
        };
        std::vector<OpIndex> begin;
        std::vector<OpIndex> end;
        for (OpIndex op = 0; op < graph.GetSize(); ++op)
        {
            if (IsRepeated(op) && !hasRepeated(graph.GetDependencies(op)))
            {
                begin.push_back(pass.first[op]);
            }
            if (IsRepeated(op) && !hasRepeated(graph.GetDependents(op)))
            {
                end.push_back(before.first[op]);
            }
        }
        for (const OpIndex first : begin)
        {
            for (const OpIndex last : end)
            {
                m_result.graph.AddDependency(last, first);
            }
        }
    }

    const Profile& m_profile;                 //!< as it is
    const std::vector<MemoryPhase>& m_phases; //!< of a pass
    uint32_t m_passes;                        //!< of a step
    Profile m_result;                         //!< under construction
    std::set<std::string> m_names;            //!< of its ops
    std::vector<bool> m_late;                 //!< by op, see FindLate()
};

} // namespace

Profile
RewriteStep(const Profile& profile, const MemoryTimeline& pass, uint32_t passes)
{
    return StepRewriter(profile, pass, passes).Run();
}

} // namespace ns3::dml
