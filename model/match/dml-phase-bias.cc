/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-phase-bias.h"

#include "dml-ratio-interval.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// A phase of a recorded step.
struct Phase
{
    double begin{0};     //!< s
    double end{0};       //!< s
    std::size_t step{0}; //!< place in MatchedModel::GetSteps()
};

/// @param phases of one kind @return by step: how many others were under way when it began
std::vector<uint32_t>
CountOthers(std::vector<Phase> phases, std::size_t steps)
{
    std::vector<uint32_t> others(steps, 0);
    std::sort(phases.begin(), phases.end(), [](const Phase& one, const Phase& other) {
        return std::tie(one.begin, one.step) < std::tie(other.begin, other.step);
    });
    std::vector<double> ends; // of those that have begun
    for (std::size_t i = 0; i < phases.size();)
    {
        const double now = phases[i].begin;
        ends.erase(
            std::remove_if(ends.begin(), ends.end(), [now](double end) { return end <= now; }),
            ends.end());
        const std::size_t first = i;
        for (; i < phases.size() && phases[i].begin == now; ++i)
        {
            ends.push_back(phases[i].end);
        }
        for (std::size_t k = first; k < i; ++k)
        {
            others[phases[k].step] = static_cast<uint32_t>(ends.size() - 1);
        }
    }
    return others;
}

/// @param others number of other workers @return the fewest and the most that are told apart from
/// it
std::pair<uint32_t, uint32_t>
ChooseClass(uint32_t others)
{
    uint32_t most = 1;
    while (most < others)
    {
        most *= 2;
    }
    return others == 0 ? std::make_pair(0U, 0U) : std::make_pair(most / 2 + 1, most);
}

} // namespace

std::optional<double>
PhaseBias::GetLonger() const
{
    return predicted > 0 ? std::optional<double>(100 * (recorded / predicted - 1)) : std::nullopt;
}

std::vector<PhaseBias>
EstimatePhaseBiases(const MatchedModel& model,
                    const std::map<StepName, double>& pulled,
                    const std::set<StepName>& counted,
                    uint32_t draws,
                    uint32_t workers)
{
    const auto& steps = model.GetSteps();
    std::vector<Phase> pulls;
    std::vector<Phase> pushes;
    std::vector<std::size_t> order; // of steps that are compared, by their end
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const StepName name{steps[i].worker, steps[i].step};
        const auto found = pulled.find(name);
        if (found == pulled.end())
        {
            continue;
        }
        pulls.push_back({steps[i].start, found->second, i});
        pushes.push_back({found->second, steps[i].end, i});
        if (counted.count(name) > 0)
        {
            order.push_back(i);
        }
    }
    std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
        return std::tie(steps[one].end, one) < std::tie(steps[other].end, other);
    });
    const std::vector<uint32_t> others[]{CountOthers(pulls, steps.size()),
                                         CountOthers(pushes, steps.size())};

    // mean over the draws, s
    std::vector<double> predicted[]{std::vector<double>(steps.size(), 0),
                                    std::vector<double>(steps.size(), 0)};
    const uint32_t runs = model.IsRandom() ? draws : 1;
    for (uint32_t draw = 0; draw < runs; ++draw)
    {
        const auto all = model.PredictTimes(1, draw);
        for (std::size_t i = 0; i < steps.size(); ++i)
        {
            predicted[0][i] += all[i].pulled / runs;
            predicted[1][i] += (all[i].end - all[i].pulled) / runs;
        }
    }

    std::map<std::tuple<StepPhase, uint32_t, uint32_t>, PhaseBias> biases;
    std::map<std::tuple<StepPhase, uint32_t, uint32_t>,
             std::map<std::size_t, std::pair<double, double>>>
        blocks; // recorded and predicted seconds, by number of the block
    for (std::size_t place = 0; place < order.size(); ++place)
    {
        const std::size_t i = order[place];
        const double pull = pulled.at({steps[i].worker, steps[i].step}) - steps[i].start;
        const double recorded[]{pull, steps[i].end - steps[i].start - pull};
        for (const StepPhase phase : {StepPhase::PULL, StepPhase::PUSH})
        {
            const auto which = static_cast<std::size_t>(phase);
            const auto [fewest, most] = ChooseClass(others[which][i]);
            auto& bias = biases[{phase, fewest, most}];
            bias.phase = phase;
            bias.fewest = fewest;
            bias.most = most;
            ++bias.count;
            bias.recorded += recorded[which];
            bias.predicted += predicted[which][i];
            auto& block = blocks[{phase, fewest, most}][place / (2 * std::size_t{workers})];
            block.first += recorded[which];
            block.second += predicted[which][i];
        }
    }
    std::vector<PhaseBias> result;
    for (auto& [key, bias] : biases)
    {
        std::vector<std::pair<double, double>> sums;
        for (const auto& [number, block] : blocks[key])
        {
            sums.push_back(block);
        }
        if (const auto half = EstimateRatioInterval(sums))
        {
            bias.halfWidth = 100 * *half;
        }
        result.push_back(bias);
    }
    return result;
}

} // namespace ns3::dml
