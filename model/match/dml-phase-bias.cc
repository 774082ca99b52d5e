/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-phase-bias.h"

#include "dml-ratio-interval.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Kinds of StepPhase.
constexpr std::size_t PHASES = 3;

/// @param pulls when each step gets its parameters @return duration of the pushes of each, s
std::vector<double>
PredictPushes(const MatchedModel& model, uint32_t draw, const PullTimes& pulls)
{
    std::vector<double> pushes;
    for (const auto& step : model.PredictTimes(1, draw, PredictionDetail::TIMES, pulls))
    {
        pushes.push_back(step.end - step.pulled);
    }
    return pushes;
}

/// @param predicted steps of the run @return their transfers, s from the start of the run
std::vector<std::vector<TimedTransfer>>
ListTransfers(const RecordedRun& run, const std::vector<PredictedStep>& predicted)
{
    std::vector<std::vector<TimedTransfer>> transfers;
    for (std::size_t step = 0; step < predicted.size(); ++step)
    {
        auto& list = transfers.emplace_back();
        for (const auto& [transfer, time] : predicted[step].arrivals)
        {
            list.push_back({transfer, 0, run.steps[step].start + time});
        }
    }
    return transfers;
}

} // namespace

std::optional<double>
PhaseBias::GetLonger() const
{
    return predicted > 0 && phase != StepPhase::REST
               ? std::optional<double>(100 * (recorded / predicted - 1))
               : std::nullopt;
}

std::vector<PhaseBias>
EstimatePhaseBiases(const MatchedModel& model,
                    const RecordedRun& run,
                    const std::set<StepName>& counted,
                    uint32_t draws,
                    uint32_t workers)
{
    const auto& steps = model.GetSteps();
    const StepPhases phases(run);
    std::vector<std::size_t> order; // of steps that are compared, by their end
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        if (counted.count({steps[i].worker, steps[i].step}) > 0)
        {
            order.push_back(i);
        }
    }
    std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
        return std::tie(steps[one].end, one) < std::tie(steps[other].end, other);
    });
    const std::vector<uint32_t> others[]{CountOthers(phases.pulls), CountOthers(phases.pushes)};

    // by phase and step, mean over the draws, s
    std::vector<double> predicted[PHASES];
    for (auto& seconds : predicted)
    {
        seconds.assign(steps.size(), 0);
    }
    const PullTimes times = model.FindPullTimes(ListPulls(run, run.transfers));
    const uint32_t runs = model.IsRandom() ? draws : 1;
    for (uint32_t draw = 0; draw < runs; ++draw)
    {
        const auto whole = model.PredictTimes(1, draw, PredictionDetail::ARRIVALS);
        const auto pushes = PredictPushes(model, draw, times);
        // Where the pulls are the model's own, so are the pushes, but for what prescribing does.
        const auto own =
            PredictPushes(model,
                          draw,
                          model.FindPullTimes(ListPulls(run, ListTransfers(run, whole))));
        for (std::size_t i = 0; i < steps.size(); ++i)
        {
            const double push = whole[i].end - whole[i].pulled;
            predicted[0][i] += whole[i].pulled / runs;
            predicted[1][i] += (push + pushes[i] - own[i]) / runs;
            predicted[2][i] += (own[i] - pushes[i]) / runs;
        }
    }

    std::map<std::tuple<StepPhase, uint32_t, uint32_t>, PhaseBias> biases;
    std::map<std::tuple<StepPhase, uint32_t, uint32_t>,
             std::map<std::size_t, std::pair<double, double>>>
        blocks; // recorded and predicted seconds, by number of the block
    for (std::size_t place = 0; place < order.size(); ++place)
    {
        const std::size_t i = order[place];
        const double pull = phases.pulls[i].second - steps[i].start;
        const double recorded[PHASES]{pull, steps[i].end - steps[i].start - pull, 0};
        for (const StepPhase phase : {StepPhase::PULL, StepPhase::PUSH, StepPhase::REST})
        {
            const auto which = static_cast<std::size_t>(phase);
            const auto [fewest, most] = phase == StepPhase::REST
                                            ? std::pair<uint32_t, uint32_t>()
                                            : ChooseCountClass(others[which][i]);
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
        if (const auto half = EstimateRatioInterval(sums); half && bias.phase != StepPhase::REST)
        {
            bias.halfWidth = 100 * *half;
        }
        result.push_back(bias);
    }
    return result;
}

} // namespace ns3::dml
