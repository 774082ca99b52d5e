/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-path-search.h"

#include "ns3/dml-critical-path.h"
#include "ns3/dml-error.h"
#include "ns3/dml-graph-replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Parts that are tried for a tensor.
constexpr uint32_t PART_NUMBERS[]{1, 2, 4, 8};

/// Proposals in a row that were no better, after which a search ends.
constexpr uint32_t MOST_FAILURES = 5;

/// Relative gain that is none.
constexpr double NO_GAIN = 1e-9;

/// Make two groups of tensors one.
void
MergeTensors(FusionPlan& plan, uint32_t place, uint32_t parts)
{
    const auto end = std::lower_bound(plan.tensors.begin(), plan.tensors.end(), place);
    if (end != plan.tensors.end() && *end == place)
    {
        const auto group = end - plan.tensors.begin();
        plan.tensors.erase(end);
        plan.parts.erase(plan.parts.begin() + group);
        plan.parts[group] = parts;
    }
}

/// @return the worker whose ops take longest
uint32_t
FindSlowest(const FusionModel& model)
{
    std::vector<double> sums(model.workers, 0);
    for (const auto& op : model.ops)
    {
        for (uint32_t worker = 0; worker < model.workers; ++worker)
        {
            sums[worker] += op.seconds[worker];
        }
    }
    return std::max_element(sums.begin(), sums.end()) - sums.begin();
}

/// A search under way.
class PathSearch
{
  public:
    PathSearch(FusionModel model, const CollectiveMoves& moves, const SearchShortcuts& shortcuts)
        : m_model(std::move(model)),
          m_moves(moves),
          m_shortcuts(shortcuts),
          m_workers(shortcuts.symmetry && shortcuts.partial ? 1 : m_model.workers)
    {
        const uint32_t slowest = FindSlowest(m_model);
        for (auto& op : m_model.ops)
        {
            std::swap(op.seconds[0], op.seconds[slowest]); // the one that collectives wait for
        }
    }

    SearchOutcome Run()
    {
        m_outcome.before = Replay(MakeSeparatePlan(m_model)).execution.seconds;
        Trial best =
            Replay(m_shortcuts.coarse ? MakeCoarsePlan(m_model) : MakeSeparatePlan(m_model));
        for (uint32_t failures = 0; failures < MOST_FAILURES;)
        {
            ++m_outcome.passes;
            auto list = Propose(best);
            if (list.empty())
            {
                break;
            }
            auto better = Improve(best, std::move(list));
            failures = better ? 0 : failures + 1;
            if (better)
            {
                best = std::move(*better);
            }
        }
        m_outcome.plan = best.plan;
        m_outcome.seconds = best.execution.seconds;
        return m_outcome;
    }

  private:
    /// A plan and its replay.
    struct Trial
    {
        FusionPlan plan;
        FusionGraph graph;
        ExecutionGraph execution;
    };

    /// Something that could be fused: the ops, or tensors, before and from a place.
    struct Proposal
    {
        bool ops;       //!< ops, else tensors
        uint32_t place; //!< in the model
        uint32_t parts; //!< in which the tensors are cut then

        bool operator<(const Proposal& other) const
        {
            return std::tie(ops, place, parts) < std::tie(other.ops, other.place, other.parts);
        }
    };

    Trial Replay(FusionPlan plan)
    {
        std::vector<double> sync;
        for (uint32_t group = 0; m_workers < m_moves.GetRanks() && group < plan.tensors.size();
             ++group)
        {
            sync.push_back(GetSync(plan, group, plan.parts[group]));
        }
        FusionGraph graph = MakeFusionGraph(m_model, plan, m_workers, m_moves, sync);
        ExecutionGraph execution = Execute(graph);
        return {std::move(plan), std::move(graph), std::move(execution)};
    }

    ExecutionGraph Execute(const FusionGraph& graph)
    {
        ++m_outcome.replays;
        m_outcome.replayedOps += graph.graph.GetSize();
        return dml::Replay(graph.graph, graph.seconds);
    }

    double GetSync(const FusionPlan& plan, uint32_t group, uint32_t parts)
    {
        const uint64_t bytes = GetGroupBytes(m_model, plan, group);
        if (m_shortcuts.partial)
        {
            const auto known = m_sync.find({bytes, parts});
            if (m_shortcuts.symmetry && known != m_sync.end())
            {
                return known->second;
            }
            ++m_outcome.replays;
            const double seconds = m_moves.Replay(bytes, parts, &m_outcome.replayedOps);
            m_sync[{bytes, parts}] = seconds;
            return seconds;
        }
        FusionPlan cut = plan;
        cut.parts[group] = parts;
        const FusionGraph graph = MakeFusionGraph(m_model, cut, m_model.workers, m_moves, {});
        const ExecutionGraph execution = Execute(graph);
        return execution.ops[graph.reduced[group]].end - execution.ops[graph.entries[group]].start;
    }

    /// @return the best number of parts for a group, and seconds that reducing it takes then
    std::pair<uint32_t, double> CutBest(const FusionPlan& plan, uint32_t group)
    {
        std::pair<uint32_t, double> best{1, GetSync(plan, group, 1)};
        for (const uint32_t parts : PART_NUMBERS)
        {
            const double seconds = parts > 1 ? GetSync(plan, group, parts) : best.second;
            if (seconds < best.second * (1 - NO_GAIN))
            {
                best = {parts, seconds};
            }
        }
        return best;
    }

    std::vector<Proposal> Propose(const Trial& trial)
    {
        std::set<GlobalOp> path;
        for (const auto& op : FindCriticalPath(trial.execution))
        {
            path.insert(op.op);
        }
        std::vector<Proposal> list;
        ProposeOps(trial, path, list);
        ProposeTensors(trial, path, list);
        list.erase(std::remove_if(list.begin(),
                                  list.end(),
                                  [this](const Proposal& one) { return m_refused.count(one) > 0; }),
                   list.end());
        return list;
    }

    void ProposeOps(const Trial& trial, const std::set<GlobalOp>& path, std::vector<Proposal>& list)
    {
        const FusionPlan& plan = trial.plan;
        for (uint32_t group = 1; group < plan.ops.size(); ++group)
        {
            const uint32_t place = plan.ops[group - 1];
            if (!path.count(trial.graph.computed[group - 1]) ||
                !path.count(trial.graph.computed[group]) || !CanFuse(m_model, place - 1) ||
                m_model.ops[place - 1].saving <= 0)
            {
                continue;
            }
            // Theorem 1: what synchronising the tensors of the first one takes, against what is
            // saved
            double sync = 0;
            for (uint32_t tensors = 0; tensors < plan.tensors.size(); ++tensors)
            {
                const uint32_t last = m_model.tensors[plan.tensors[tensors] - 1].GetLastProducer();
                if (last >= plan.GetFirstOp(group - 1) && last < place)
                {
                    sync += GetSync(plan, tensors, plan.parts[tensors]);
                }
            }
            if (sync <= m_model.ops[place - 1].saving)
            {
                list.push_back({true, place, 1});
            }
        }
    }

    double GetReady(const Trial& trial, uint32_t tensors) const
    {
        double ready = 0;
        for (uint32_t i = trial.plan.GetFirstTensor(tensors); i < trial.plan.tensors[tensors]; ++i)
        {
            for (const uint32_t op : m_model.tensors[i].producers)
            {
                const auto group =
                    std::upper_bound(trial.plan.ops.begin(), trial.plan.ops.end(), op) -
                    trial.plan.ops.begin();
                ready = std::max(ready, trial.execution.ops[trial.graph.computed[group]].end);
            }
        }
        return ready;
    }

    void ProposeTensors(const Trial& trial,
                        const std::set<GlobalOp>& path,
                        std::vector<Proposal>& list)
    {
        const FusionPlan& plan = trial.plan;
        FusionPlan fused = plan; // with what is proposed so far
        uint32_t last = 0;       // group of `fused` that the group before belongs to
        double before = 0;       // end of the groups before it
        double end = plan.tensors.empty() ? 0 : trial.execution.ops[trial.graph.reduced[0]].end;
        for (uint32_t group = 1; group < plan.tensors.size(); ++group)
        {
            const double ready = GetReady(trial, group);
            const uint32_t place = plan.tensors[group - 1];
            const bool critical = path.count(trial.graph.reduced[group - 1]) > 0 &&
                                  path.count(trial.graph.reduced[group]) > 0;
            if (critical)
            {
                const double alone = CutBest(fused, last + 1).second;
                FusionPlan both = fused;
                MergeTensors(both, place, 1);
                const auto [parts, together] = CutBest(both, last);
                // Theorem 2
                if (end > ready + together - alone)
                {
                    list.push_back({false, place, parts});
                    both.parts[last] = parts;
                    fused = std::move(both);
                    end = std::max(before, ready) + together;
                    continue;
                }
            }
            ++last;
            before = end;
            end = std::max(before, ready) + GetSync(fused, last, fused.parts[last]);
        }
    }

    FusionPlan Apply(FusionPlan plan, const std::vector<Proposal>& list) const
    {
        for (const auto& one : list)
        {
            if (!one.ops)
            {
                MergeTensors(plan, one.place, one.parts);
                continue;
            }
            plan.ops.erase(std::remove(plan.ops.begin(), plan.ops.end(), one.place),
                           plan.ops.end());
            // Theorem 3: tensors of both, which are ready at the same time now
            for (uint32_t i = 1; i < m_model.tensors.size(); ++i)
            {
                const auto& first = m_model.tensors[i - 1].producers;
                const auto& second = m_model.tensors[i].producers;
                if (!first.empty() && !second.empty() && first.back() + 1 == one.place &&
                    second.back() == one.place)
                {
                    MergeTensors(plan, i, 1);
                }
            }
        }
        return plan;
    }

    std::optional<Trial> Improve(const Trial& best, std::vector<Proposal> list)
    {
        while (!list.empty())
        {
            try
            {
                Trial trial = Replay(Apply(best.plan, list));
                if (trial.execution.seconds < best.execution.seconds * (1 - NO_GAIN))
                {
                    return trial;
                }
            }
            catch (const InputError&)
            {
                // what is fused would wait for itself
            }
            if (list.size() == 1)
            {
                m_refused.insert(list.front());
                break;
            }
            list.resize(list.size() / 2);
        }
        return std::nullopt;
    }

    FusionModel m_model;                                    //!< of a step
    const CollectiveMoves& m_moves;                         //!< of collectives
    SearchShortcuts m_shortcuts;                            //!< taken
    uint32_t m_workers;                                     //!< in graphs
    std::map<std::pair<uint64_t, uint32_t>, double> m_sync; //!< by bytes and parts
    std::set<Proposal> m_refused;                           //!< proposals that were no better
    SearchOutcome m_outcome;                                //!< so far
};

} // namespace

SearchOutcome
SearchAlongPath(FusionModel model, const CollectiveMoves& moves, const SearchShortcuts& shortcuts)
{
    return PathSearch(std::move(model), moves, shortcuts).Run();
}

SearchShortcuts
ReadShortcuts(const std::string& without)
{
    SearchShortcuts shortcuts;
    const std::map<std::string, bool SearchShortcuts::*> known{
        {"coarse", &SearchShortcuts::coarse},
        {"partial", &SearchShortcuts::partial},
        {"symmetry", &SearchShortcuts::symmetry}};
    std::istringstream names(without.empty() ? without : without + ",");
    for (std::string name; std::getline(names, name, ',');)
    {
        const auto shortcut = known.find(name);
        if (shortcut == known.end())
        {
            throw InputError("--without: found '" + name +
                             "'; accepted: coarse, partial, symmetry, with commas between them");
        }
        shortcuts.*shortcut->second = false;
    }
    return shortcuts;
}

} // namespace ns3::dml
