/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-merger.h"

#include "dml-step-gaps.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace ns3::dml
{

namespace
{

constexpr double NS_PER_SECOND = 1e9;

/// Steps that are left out and told of one by one.
constexpr uint32_t MOST_TOLD = 3;

/// Share of the measured time that a profile may lack without a word.
constexpr double TOLERANCE = 0.05;

/// @throws InputError if two ops of @p step have one name
StepOpPlaces
IndexOps(const MeasuredStep& step)
{
    StepOpPlaces places;
    for (OpIndex i = 0; i < step.ops.size(); ++i)
    {
        if (!places.emplace(step.ops[i].name, i).second)
        {
            throw InputError(step.place + ": two ops are called '" + step.ops[i].name +
                             "'; accepted are unique names");
        }
    }
    return places;
}

/// @return true if the ops are the same but for their times
bool
IsSameOp(const MeasuredOp& a, const MeasuredOp& b)
{
    return a.name == b.name && a.kind == b.kind && a.device == b.device && a.tensor == b.tensor &&
           a.deps == b.deps;
}

/// @return place of the first op in which the steps differ, or of the first that one of them lacks
std::size_t
FindDifference(const MeasuredStep& a, const MeasuredStep& b)
{
    const auto [inA, inB] =
        std::mismatch(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), IsSameOp);
    return inA - a.ops.begin();
}

/// @return true if the steps are the same but for their times
bool
IsSameStep(const MeasuredStep& a, const MeasuredStep& b)
{
    return a.ops.size() == b.ops.size() && FindDifference(a, b) == a.ops.size();
}

/// @return the tensors that the ops of @p step move
std::set<std::string>
ListTensors(const MeasuredStep& step)
{
    std::set<std::string> tensors;
    for (const MeasuredOp& op : step.ops)
    {
        if (!op.tensor.empty())
        {
            tensors.insert(op.tensor);
        }
    }
    return tensors;
}

/// @return the first of @p names that @p others lack, or an empty text
std::string
FindMissing(const std::set<std::string>& names, const std::set<std::string>& others)
{
    const auto missing = std::find_if(names.begin(), names.end(), [&](const auto& name) {
        return others.count(name) == 0;
    });
    return missing == names.end() ? "" : *missing;
}

/// @throws InputError if each of two steps has a tensor that the other one lacks: steps that were
/// cut or had more to do differ in one way only
void
CheckModel(const MeasuredStep& step, const MeasuredStep& reference)
{
    const auto mine = ListTensors(step);
    const auto theirs = ListTensors(reference);
    const std::string extra = FindMissing(mine, theirs);
    const std::string missing = FindMissing(theirs, mine);
    if (!extra.empty() && !missing.empty())
    {
        throw InputError(step.place + ": found the tensor '" + extra + "' and no '" + missing +
                         "', where " + reference.place + " has '" + missing + "' and no '" + extra +
                         "'; accepted: steps of one model");
    }
}

/// @return index of the first step of the largest group that agree
std::size_t
FindReference(const std::vector<MeasuredStep>& steps)
{
    std::vector<std::pair<std::size_t, uint32_t>> groups; // first step, size
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) {
            return IsSameStep(steps[known.first], steps[i]);
        });
        if (group == groups.end())
        {
            groups.emplace_back(i, 1);
        }
        else
        {
            ++group->second;
        }
    }
    return std::max_element(groups.begin(),
                            groups.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

/// Makes the profile's graph of the reference step and its samples of all that fit.
class StepMerger
{
  public:
    StepMerger(const MeasuredJob& job, const ImportOptions& options)
        : m_job(job),
          m_options(options),
          m_idle(options.idle.value_or(IdleTime::KEEP))
    {
    }

    ImportResult Merge()
    {
        if (m_job.steps.empty())
        {
            throw InputError("the trace has no complete step; accepted is at least one");
        }
        const std::size_t first = FindReference(m_job.steps);
        m_reference = &m_job.steps[first];
        m_places = IndexOps(*m_reference);
        BuildGraph();
        for (const MeasuredStep& step : m_job.steps)
        {
            AddStep(step);
        }
        TellDifferences();
        ExplainReplay();
        try
        {
            m_result.profile.Validate();
        }
        catch (const ProfileError& error)
        {
            throw InputError(m_reference->place + ": " + error.what());
        }
        return std::move(m_result);
    }

  private:
    /// @return place of @p name among @p items; @throws InputError naming @p op if there is none
    template <typename Item>
    uint32_t Find(const std::vector<Item>& items,
                  const std::string& name,
                  const char* what,
                  const MeasuredOp& op) const
    {
        const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) {
            return item.name == name;
        });
        if (found == items.end())
        {
            throw InputError(m_reference->place + ": op '" + op.name + "' names the " + what +
                             " '" + name + "', which the trace does not have");
        }
        return found - items.begin();
    }

    /// @return the job's tensors, but for those that only other steps than the reference have
    std::vector<Tensor> SelectTensors() const
    {
        std::unordered_set<std::string> wanted;
        std::unordered_set<std::string> others;
        for (const MeasuredStep& step : m_job.steps)
        {
            for (const MeasuredOp& op : step.ops)
            {
                (&step == m_reference ? wanted : others).insert(op.tensor);
            }
        }
        std::vector<Tensor> tensors;
        for (const Tensor& tensor : m_job.tensors)
        {
            if (wanted.count(tensor.name) > 0 || others.count(tensor.name) == 0)
            {
                tensors.push_back(tensor);
            }
        }
        return tensors;
    }

    void BuildGraph()
    {
        Profile& profile = m_result.profile;
        profile.model = m_options.model.value_or(m_job.model);
        profile.batchSize = m_options.batchSize.value_or(m_job.batchSize);
        if (profile.batchSize == 0)
        {
            throw InputError(m_reference->place + ": the trace does not tell the batch size; "
                                                  "accepted is one given by hand (--batch-size N)");
        }
        profile.inputBytes = m_job.inputBytes;
        profile.residentBytes = m_job.residentBytes;
        profile.source = m_job.source;
        profile.tensors = SelectTensors();
        profile.devices = m_job.devices;
        std::unordered_map<std::string, TensorIndex> tensors;
        for (TensorIndex i = 0; i < profile.tensors.size(); ++i)
        {
            tensors.emplace(profile.tensors[i].name, i);
        }
        for (const MeasuredOp& measured : m_reference->ops)
        {
            Op op{measured.name, measured.kind, 0, NO_INDEX, measured.memory};
            if (RunsOnDevice(measured.kind))
            {
                op.device = Find(m_job.devices, measured.device, "device", measured);
            }
            if (NeedsTensor(measured.kind))
            {
                const auto tensor = tensors.find(measured.tensor);
                op.tensor = tensor != tensors.end()
                                ? tensor->second
                                : Find(profile.tensors, measured.tensor, "tensor", measured);
            }
            profile.graph.Add(op);
        }
        for (OpIndex i = 0; i < m_reference->ops.size(); ++i)
        {
            for (const std::string& dep : m_reference->ops[i].deps)
            {
                const auto before = m_places.find(dep);
                if (before == m_places.end())
                {
                    throw InputError(m_reference->place + ": op '" + m_reference->ops[i].name +
                                     "' waits for '" + dep + "', which is no op of the step");
                }
                profile.graph.AddDependency(before->second, i);
            }
        }
        profile.samples.resize(m_reference->ops.size());
    }

    /// A step does not count. @param why one sentence
    void LeaveOut(const std::string& why)
    {
        if (m_leftOut++ < MOST_TOLD)
        {
            m_result.warnings.push_back(why);
        }
    }

    /// Tell of steps that differ from most.
    void TellDifferences()
    {
        if (m_leftOut > MOST_TOLD)
        {
            m_result.warnings.push_back(
                std::to_string(m_leftOut - MOST_TOLD) +
                " more steps are left out, which lack or add ops, or ran them elsewhere");
        }
        if (m_reordered > 0)
        {
            m_result.warnings.push_back(
                std::to_string(m_reordered) + " of " + Plural(m_job.steps.size(), "step") +
                " ran in another order than most, the first is " + m_firstReordered +
                ": their durations count, the order does not");
        }
    }

    /// @return true if @p step has the ops of the reference, on the same devices, else a warning is
    /// added
    bool HasSameOps(const MeasuredStep& step, const StepOpPlaces& places)
    {
        for (const MeasuredOp& op : m_reference->ops)
        {
            if (places.count(op.name) == 0)
            {
                LeaveOut(step.place + " is left out: it lacks the op '" + op.name + "'");
                return false;
            }
            const MeasuredOp& own = step.ops[places.at(op.name)];
            if (own.device != op.device)
            {
                LeaveOut(step.place + " is left out: '" + op.name + "' ran on " + own.device +
                         ", in most steps on " + op.device);
                return false;
            }
        }
        for (const MeasuredOp& op : step.ops)
        {
            if (m_places.count(op.name) == 0)
            {
                LeaveOut(step.place + " is left out: it has an op '" + op.name +
                         "' that most steps lack");
                return false;
            }
        }
        return true;
    }

    void AddStep(const MeasuredStep& step)
    {
        const StepOpPlaces places = IndexOps(step);
        CheckModel(step, *m_reference);
        if (!HasSameOps(step, places))
        {
            return;
        }
        const std::size_t difference = FindDifference(*m_reference, step);
        if (difference < step.ops.size() && m_reordered++ == 0)
        {
            m_firstReordered = step.place + ", from '" + step.ops[difference].name + "' on";
        }
        std::vector<int64_t> lengths;
        for (const MeasuredOp& op : step.ops)
        {
            lengths.push_back(op.duration);
        }
        int64_t unexplained = 0;
        for (const StepGap& gap : FindStepGaps(step, places))
        {
            unexplained += gap.length;
            if (m_idle == IdleTime::KEEP && gap.op != StepGap::NOBODY &&
                RunsOnDevice(step.ops[gap.op].kind))
            {
                lengths[gap.op] += gap.length;
            }
            else
            {
                m_lost += gap.length;
            }
        }
        m_result.stepSeconds.push_back((step.end - step.start) / NS_PER_SECOND);
        m_result.stepNames.push_back(step.place);
        m_result.unexplainedSeconds.push_back(unexplained / NS_PER_SECOND);
        for (OpIndex i = 0; i < m_reference->ops.size(); ++i)
        {
            if (!IsTransfer(m_reference->ops[i].kind))
            {
                m_result.profile.samples[i].push_back(lengths[places.at(m_reference->ops[i].name)] /
                                                      NS_PER_SECOND);
            }
        }
    }

    /// Tell it if the profile lacks much of the measured time.
    void ExplainReplay()
    {
        const auto& steps = m_result.stepSeconds;
        const double measured = std::accumulate(steps.begin(), steps.end(), 0.0);
        const double lost = static_cast<double>(m_lost) / NS_PER_SECOND;
        if (lost > TOLERANCE * measured)
        {
            const double percent = 100 * lost / measured;
            m_result.replayCaveat =
                m_idle == IdleTime::DROP
                    ? fmt::format("time in which no recorded op ran is left out, {:.1f} % of the "
                                  "steps",
                                  percent)
                    : fmt::format("during {:.1f} % of the steps no recorded op ran before a "
                                  "transfer or an update started, and a profile has no place for "
                                  "that time",
                                  percent);
        }
    }

    const MeasuredJob& m_job;                 //!< what the importer found
    const ImportOptions& m_options;           //!< the user's choices
    IdleTime m_idle;                          //!< what becomes of gaps
    const MeasuredStep* m_reference{nullptr}; //!< the step that the graph is made of
    StepOpPlaces m_places;                    //!< its ops
    uint32_t m_leftOut{0};                    //!< steps with other ops
    uint32_t m_reordered{0};                  //!< steps in another order
    std::string m_firstReordered;             //!< the first one and where it differs
    int64_t m_lost{0};                        //!< ns in which nothing ran and that no op got
    ImportResult m_result;                    //!< under construction
};

} // namespace

ImportResult
MergeSteps(const MeasuredJob& job, const ImportOptions& options)
{
    return StepMerger(job, options).Merge();
}

} // namespace ns3::dml
