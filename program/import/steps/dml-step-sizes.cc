/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-sizes.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Steps that are compared with one another.
struct StepGroup
{
    std::string file;                         //!< of its first step, for messages
    std::map<uint64_t, std::size_t> counts{}; //!< steps by amount, where that is known
    uint64_t usual{0};                        //!< amount, or 0 if none is

    /// Find the usual amount.
    void Judge()
    {
        std::size_t most = 0;
        std::size_t all = 0;
        for (const auto& [amount, count] : counts)
        {
            usual = count >= most ? amount : usual;
            most = std::max(most, count);
            all += count;
        }
        usual = 2 * most >= all ? usual : 0;
    }
};

/// @return of each file the number of its steps
std::map<std::string, std::size_t>
CountSteps(const std::vector<StepSize>& steps)
{
    std::map<std::string, std::size_t> counts;
    for (const StepSize& step : steps)
    {
        ++counts[step.file];
    }
    return counts;
}

/// @param tolerance of the unit @return the steps; of amounts that are the same within it, each has
/// the least
std::vector<StepSize>
MergeAmounts(std::vector<StepSize> steps, double tolerance)
{
    std::set<uint64_t> amounts;
    for (const StepSize& step : steps)
    {
        amounts.insert(step.amount);
    }
    std::map<uint64_t, uint64_t> least;
    uint64_t begin = 0;
    for (const uint64_t amount : amounts)
    {
        begin = static_cast<double>(amount - begin) <= tolerance * static_cast<double>(begin)
                    ? begin
                    : amount;
        least[amount] = begin;
    }
    for (StepSize& step : steps)
    {
        step.amount = least.at(step.amount);
    }
    return steps;
}

} // namespace

std::vector<bool>
FindStepsOfOneSize(const std::vector<StepSize>& recorded,
                   const StepSizeUnit& unit,
                   std::vector<std::string>& rules,
                   std::vector<std::string>& warnings)
{
    const std::vector<StepSize> steps = MergeAmounts(recorded, unit.tolerance);
    const auto describe = [&unit](uint64_t amount) {
        return Plural(amount, unit.name) + unit.detail;
    };
    const auto refuse = [&](const std::string& file, uint64_t amount, const StepGroup& other) {
        throw InputError(file + ": steps have " + describe(amount) + " where those of " +
                         other.file + " have " + std::to_string(other.usual) +
                         "; accepted: traces of one batch size");
    };
    const auto counts = CountSteps(steps);
    // Files of one step each are the group that has no name.
    const auto name = [&counts](const StepSize& step) {
        return counts.at(step.file) == 1 ? std::string() : step.file;
    };
    std::map<std::string, StepGroup> groups;
    for (const StepSize& step : steps)
    {
        StepGroup& group = groups.try_emplace(name(step), StepGroup{step.file}).first->second;
        if (step.amount > 0)
        {
            ++group.counts[step.amount];
        }
    }
    const StepGroup* first = nullptr;
    for (auto& [key, group] : groups)
    {
        group.Judge();
        if (key.empty() && group.counts.size() == 2 &&
            group.counts.begin()->second == group.counts.rbegin()->second)
        {
            const auto smaller =
                std::find_if(steps.begin(), steps.end(), [&](const StepSize& step) {
                    return name(step).empty() && step.amount == group.counts.begin()->first;
                });
            const auto larger = std::find_if(steps.begin(), steps.end(), [&](const StepSize& step) {
                return name(step).empty() && step.amount == group.usual;
            });
            group.file = larger->file;
            refuse(smaller->file, smaller->amount, group);
        }
        if (group.usual > 0)
        {
            first = first == nullptr ? &group : first;
            if (group.usual != first->usual)
            {
                refuse(group.file, group.usual, *first);
            }
        }
    }
    std::vector<bool> kept;
    std::set<uint64_t> amounts;
    for (const StepSize& step : steps)
    {
        const uint64_t usual = groups.at(name(step)).usual;
        kept.push_back(usual == 0 || step.amount == usual || step.amount == 0);
        if (!kept.back())
        {
            warnings.push_back(step.place + " is left out: it has " + describe(step.amount) +
                               ", most steps have " + std::to_string(usual));
        }
        else if (step.amount > 0)
        {
            amounts.insert(step.amount);
        }
    }
    if (amounts.empty() && steps.size() > 1)
    {
        rules.push_back(std::string("batch sizes of steps: not compared, as the trace does not "
                                    "tell any (") +
                        unit.remedy + ")");
    }
    if (amounts.size() > 1)
    {
        warnings.push_back("steps have " + std::to_string(*amounts.begin()) + " to " +
                           describe(*amounts.rbegin()) +
                           ", few of them as many, and times of all of them are kept");
    }
    return kept;
}

} // namespace ns3::dml
