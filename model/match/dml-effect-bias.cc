/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-effect-bias.h"

#include "dml-ratio-interval.h"

#include "ns3/dml-match-effects.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Recorded and predicted seconds of a part of an effect.
struct PartSums
{
    double recorded{0};             //!< s
    double predicted{0};            //!< s
    std::vector<double> difference; //!< recorded less predicted seconds, by block
};

/// Time of a step that ends with the arrival of a transfer.
struct StepPiece
{
    StepTransfer transfer; //!< which
    double seconds{0};     //!< s
};

/// Divides the time of steps among the parts of one effect.
class StepDivider
{
  public:
    /// @param effect how to divide @param run of whose steps @param blocks number of them
    StepDivider(const MatchEffect& effect, const RecordedRun& run, std::size_t blocks)
        : m_name(effect.name),
          m_parts(effect.divide(run)),
          m_sums(m_parts.names.size(), PartSums{0, 0, std::vector<double>(blocks, 0)})
    {
    }

    /// @return name of the effect
    const char* GetName() const
    {
        return m_name;
    }

    /// @return how it divides
    const EffectParts& GetParts() const
    {
        return m_parts;
    }

    /// @return sums of each part
    const std::vector<PartSums>& GetSums() const
    {
        return m_sums;
    }

    /**
     * @param step number of a step
     * @param block that it belongs to
     * @param pieces of the step
     * @param weight of this prediction; nothing: it was recorded
     */
    void Add(std::size_t step,
             std::size_t block,
             const std::vector<StepPiece>& pieces,
             std::optional<double> weight)
    {
        for (const auto& [transfer, seconds] : pieces)
        {
            const auto part = m_parts.find ? m_parts.find(step, transfer) : std::nullopt;
            if (part && weight)
            {
                m_sums[*part].predicted += *weight * seconds;
                m_sums[*part].difference[block] -= *weight * seconds;
            }
            else if (part)
            {
                m_sums[*part].recorded += seconds;
                m_sums[*part].difference[block] += seconds;
            }
        }
    }

  private:
    const char* m_name;           //!< see GetName()
    EffectParts m_parts;          //!< see GetParts()
    std::vector<PartSums> m_sums; //!< see GetSums()
};

/**
 * @param arrivals in a step, in any order; s from its begin
 * @param begin s from its begin
 * @param end s from its begin
 * @return what lies between both, cut at the arrivals; without what is behind the last one
 */
std::vector<StepPiece>
Cut(std::vector<StepArrival> arrivals, double begin, double end)
{
    std::sort(arrivals.begin(),
              arrivals.end(),
              [](const StepArrival& one, const StepArrival& other) {
                  return std::tie(one.time, one.transfer) < std::tie(other.time, other.transfer);
              });
    std::vector<StepPiece> pieces;
    double before = begin;
    for (const auto& arrival : arrivals)
    {
        const double now = std::clamp(arrival.time, before, std::max(before, end));
        pieces.push_back({arrival.transfer, now - before});
        before = now;
    }
    return pieces;
}

/// @param transfers of a step that begins at @p start @return when they arrived after that
std::vector<StepArrival>
ListArrivals(const std::vector<TimedTransfer>& transfers, double start)
{
    std::vector<StepArrival> arrivals;
    for (const auto& transfer : transfers)
    {
        arrivals.push_back({transfer.transfer, transfer.last - start});
    }
    return arrivals;
}

/// @param sums of a part @param seconds of a per cent of the links, by block @param effect name
/// @return what the part adds to the bias
EffectBias
MakePart(const PartSums& sums, const std::vector<double>& seconds, const std::string& effect)
{
    EffectBias bias;
    bias.effect = effect;
    bias.recorded = sums.recorded;
    bias.predicted = sums.predicted;
    std::vector<std::pair<double, double>> blocks;
    double difference = 0;
    for (std::size_t block = 0; block < seconds.size(); ++block)
    {
        blocks.emplace_back(sums.difference[block], seconds[block]);
        difference += sums.difference[block];
    }
    bias.slower = difference / std::accumulate(seconds.begin(), seconds.end(), 0.0);
    bias.halfWidth = EstimateRatioInterval(blocks);
    return bias;
}

} // namespace

bool
IsCertainBias(const Confidence& slower)
{
    constexpr double LEAST = 0.005; // per cent
    return slower.halfWidth && std::fabs(*slower.mean) > std::max(LEAST, *slower.halfWidth);
}

std::vector<EffectBias>
EstimateEffectBiases(const MatchedModel& model,
                     const RecordedRun& run,
                     const std::vector<MatchEffect>& effects,
                     const std::set<StepName>& counted,
                     uint32_t draws,
                     uint32_t workers,
                     std::string& obstacle)
{
    std::vector<BiasBlock> found;
    const LinkBias whole = EstimateLinkBias(model, counted, draws, workers, &found);
    obstacle = whole.reason;
    if (!whole.slower)
    {
        return {};
    }
    const double difference = whole.recorded - whole.predicted;
    double slope = 0; // seconds for a per cent of the links, at the bias
    for (const auto& block : found)
    {
        slope += block.slope;
    }
    // The mean slope from no bias to the bias, so that parts add up to it.
    const double scale = *whole.slower * slope != 0 && difference / (*whole.slower * slope) > 0
                             ? difference / (*whole.slower * slope)
                             : 1;
    std::vector<double> seconds;
    std::vector<std::pair<std::size_t, std::size_t>> order; // step and block
    for (const auto& block : found)
    {
        for (const std::size_t step : block.steps)
        {
            order.emplace_back(step, seconds.size());
        }
        seconds.push_back(scale * block.slope);
    }

    const auto& steps = model.GetSteps();
    std::vector<StepDivider> dividers;
    for (const auto& effect : effects)
    {
        if (effect.divide)
        {
            dividers.emplace_back(effect, run, seconds.size());
        }
    }
    const auto add = [&](std::size_t step,
                         std::size_t block,
                         const std::vector<StepPiece>& pieces,
                         std::optional<double> weight) {
        for (auto& divider : dividers)
        {
            divider.Add(step, block, pieces, weight);
        }
    };
    PartSums all{0, 0, std::vector<double>(seconds.size(), 0)};
    for (const auto& [step, block] : order)
    {
        const double duration = steps[step].end - steps[step].start;
        all.recorded += duration;
        all.difference[block] += duration;
        add(step,
            block,
            Cut(ListArrivals(run.transfers[step], steps[step].start), 0, duration),
            std::nullopt);
    }
    const PullTimes times = model.FindPullTimes(ListPulls(run, run.transfers));
    const uint32_t runs = model.IsRandom() ? draws : 1;
    for (uint32_t draw = 0; draw < runs; ++draw)
    {
        const double weight = 1.0 / runs;
        const auto pulls = model.PredictTimes(1, draw, PredictionDetail::ARRIVALS);
        const auto pushes = model.PredictTimes(1, draw, PredictionDetail::ARRIVALS, times);
        for (const auto& [step, block] : order)
        {
            all.predicted += weight * pulls[step].end;
            all.difference[block] -= weight * pulls[step].end;
            for (const bool pull : {true, false})
            {
                const PredictedStep& half = (pull ? pulls : pushes)[step];
                std::vector<StepArrival> arrivals;
                std::copy_if(half.arrivals.begin(),
                             half.arrivals.end(),
                             std::back_inserter(arrivals),
                             [&](const StepArrival& arrival) {
                                 return (arrival.time <= half.pulled) == pull;
                             });
                add(step,
                    block,
                    Cut(std::move(arrivals), pull ? 0 : half.pulled, pull ? half.pulled : half.end),
                    weight);
            }
        }
    }

    std::vector<EffectBias> result(1);
    result.front().recorded = whole.recorded;
    result.front().predicted = whole.predicted;
    result.front().slower = whole.slower;
    result.front().halfWidth = whole.halfWidth;
    for (const auto& divider : dividers)
    {
        const EffectParts& parts = divider.GetParts();
        if (!parts.obstacle.empty())
        {
            result.emplace_back();
            result.back().effect = divider.GetName();
            result.back().obstacle = parts.obstacle;
            continue;
        }
        PartSums rest = all;
        for (std::size_t part = 0; part < parts.names.size(); ++part)
        {
            const PartSums& sums = divider.GetSums()[part];
            if (sums.recorded == 0 && sums.predicted == 0)
            {
                continue;
            }
            rest.recorded -= sums.recorded;
            rest.predicted -= sums.predicted;
            for (std::size_t block = 0; block < seconds.size(); ++block)
            {
                rest.difference[block] -= sums.difference[block];
            }
            result.push_back(MakePart(sums, seconds, divider.GetName()));
            result.back().part = parts.names[part];
        }
        result.push_back(MakePart(rest, seconds, divider.GetName()));
    }
    return result;
}

} // namespace ns3::dml
