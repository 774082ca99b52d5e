/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-bias.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr double PER_CENT = 100;

/// Predicted durations at one rate of the links.
struct Prediction
{
    double slower{0};              //!< per cent
    std::vector<double> mean;      //!< by step: over the draws, s
    std::vector<double> deviation; //!< by step: standard deviation of a draw, s; of one draw 0
    double sum{0};                 //!< of the means of steps that are compared, s
};

/// Finds at which rate of its links a model is as slow as the recorded steps.
class BiasSearch
{
  public:
    BiasSearch(const MatchedModel& model, const std::set<StepName>& counted, uint32_t draws)
        : m_model(model),
          m_draws(model.IsRandom() ? draws : 1)
    {
        const auto& steps = model.GetSteps();
        for (std::size_t i = 0; i < steps.size(); ++i)
        {
            if (counted.count({steps[i].worker, steps[i].step}) > 0)
            {
                m_counted.push_back(i);
                m_recorded += steps[i].end - steps[i].start;
            }
        }
    }

    /// @return places in GetSteps() of those that are compared
    const std::vector<std::size_t>& GetCounted() const
    {
        return m_counted;
    }

    /// @return recorded durations of these, s
    double GetRecorded() const
    {
        return m_recorded;
    }

    /// @param slower per cent @return what the model predicts with such links
    Prediction Predict(double slower) const
    {
        Prediction result;
        result.slower = slower;
        const std::size_t steps = m_model.GetSteps().size();
        std::vector<double> squares(steps, 0);
        result.mean.assign(steps, 0);
        for (uint32_t draw = 0; draw < m_draws; ++draw)
        {
            const auto durations = m_model.Predict(1 - slower / PER_CENT, draw);
            for (std::size_t i = 0; i < steps; ++i)
            {
                const double before = durations[i] - result.mean[i];
                result.mean[i] += before / (draw + 1); // Welford
                squares[i] += before * (durations[i] - result.mean[i]);
            }
        }
        for (const double square : squares)
        {
            result.deviation.push_back(m_draws > 1 ? std::sqrt(square / (m_draws - 1)) : 0);
        }
        for (const std::size_t i : m_counted)
        {
            result.sum += result.mean[i];
        }
        return result;
    }

    /**
     * @param base prediction with links as they are
     * @param[out] obstacle why there is no such rate, or empty
     * @return two at different rates, between which or next to which the recorded durations lie,
     * the nearer one last; none if there is no such rate
     */
    std::vector<Prediction> Search(const Prediction& base, std::string& obstacle) const
    {
        constexpr double FIRST_STEP = 2; // per cent
        constexpr double CLOSE = 1e-3;   // per cent
        constexpr double LEAST_SPAN = 1; // per cent: nearer predictions differ by chance, too
        constexpr int MOST_STEPS = 8;
        std::vector<Prediction> last{base, Predict(FIRST_STEP)};
        double slope = GetSlope(last[0], last[1]);
        if (slope < LEAST_GAIN)
        {
            obstacle = DescribeSmallGain(base, slope);
            return {};
        }
        const double first = slope;
        std::vector<Prediction> known = last;
        for (int i = 0; i < MOST_STEPS; ++i)
        {
            const double next = last[1].slower + (m_recorded - last[1].sum) / m_recorded / slope;
            if (!(std::fabs(next) <= LinkBias::MOST))
            {
                auto ends = Bisect(base, std::copysign(LinkBias::MOST, next));
                if (ends.empty())
                {
                    obstacle =
                        first < SMALL_GAIN ? DescribeSmallGain(base, first) : DescribeFarRate(base);
                }
                return ends;
            }
            // what lies between both is as good as another prediction
            const double span = std::fabs(last[1].slower - last[0].slower);
            const double nearest =
                std::min(std::fabs(next - last[0].slower), std::fabs(next - last[1].slower));
            if (nearest <= CLOSE || (span <= FIRST_STEP && Lies(next, last)))
            {
                break;
            }
            known.push_back(Predict(next));
            const Prediction* partner = nullptr; // the nearest that is not too near
            for (const auto& other : known)
            {
                const double distance = std::fabs(other.slower - next);
                if (distance >= LEAST_SPAN && GetSlope(other, known.back()) >= LEAST_GAIN &&
                    (!partner || distance < std::fabs(partner->slower - next)))
                {
                    partner = &other;
                }
            }
            if (!partner)
            {
                break;
            }
            last = {*partner, known.back()};
            slope = GetSlope(last[0], last[1]);
        }
        return last;
    }

  private:
    /**
     * @brief Halve what is between two rates where a straight line leads too far: durations bend,
     * as slower steps overlap more.
     * @param base prediction with links as they are
     * @param most per cent by which links are slower at the other end
     * @return two predictions with the recorded durations between them; none if they are not
     * between those of both ends
     */
    std::vector<Prediction> Bisect(const Prediction& base, double most) const
    {
        constexpr double SPAN = 1; // per cent: short enough for a straight line
        std::vector<Prediction> ends{base, Predict(most)};
        const auto isBeyond = [this](const Prediction& one) { return one.sum > m_recorded; };
        if (isBeyond(ends[0]) == isBeyond(ends[1]))
        {
            return {};
        }
        while (std::fabs(ends[1].slower - ends[0].slower) > SPAN)
        {
            Prediction middle = Predict((ends[0].slower + ends[1].slower) / 2);
            ends[isBeyond(middle) == isBeyond(ends[0]) ? 0 : 1] = std::move(middle);
        }
        const bool first =
            std::fabs(ends[0].sum - m_recorded) < std::fabs(ends[1].sum - m_recorded);
        return first ? std::vector<Prediction>{ends[1], ends[0]} : ends;
    }

    /// Of durations, for each per cent of the links: less is rounding.
    static constexpr double LEAST_GAIN = 1e-6;
    /// Likewise: where links have less than a hundredth of the durations.
    static constexpr double SMALL_GAIN = 1e-4;

    /// @param base prediction with links as they are @return by how much recorded durations differ
    std::string DescribeDifference(const Prediction& base) const
    {
        const double percent = PER_CENT * (m_recorded / base.sum - 1);
        return fmt::format("recorded steps take {:.3g} % {}",
                           std::fabs(percent),
                           percent < 0 ? "less" : "longer");
    }

    /// @param base likewise @param slope as of GetSlope() @return why links explain nothing
    std::string DescribeSmallGain(const Prediction& base, double slope) const
    {
        return fmt::format("links matter next to nothing: 1 % slower ones make the model's steps "
                           "{} % longer; {}",
                           slope < LEAST_GAIN
                               ? fmt::format("less than {:.1g}", PER_CENT * LEAST_GAIN)
                               : fmt::format("{:.1g}", PER_CENT * slope),
                           DescribeDifference(base));
    }

    /// @param base likewise @return why no rate that is looked for is as slow, or as fast
    std::string DescribeFarRate(const Prediction& base) const
    {
        return fmt::format("{}, which is more than links that are {:.0f} % {} make of the model",
                           DescribeDifference(base),
                           LinkBias::MOST,
                           m_recorded > base.sum ? "slower" : "faster");
    }

    /// @return what a per cent slower links add to the durations, as a part of the recorded ones
    double GetSlope(const Prediction& one, const Prediction& other) const
    {
        return (other.sum - one.sum) / (other.slower - one.slower) / m_recorded;
    }

    static bool Lies(double value, const std::vector<Prediction>& between)
    {
        const auto [least, most] = std::minmax(between[0].slower, between[1].slower);
        return value >= least && value <= most;
    }

    const MatchedModel& m_model;        //!< predicts
    uint32_t m_draws;                   //!< predictions at each rate
    std::vector<std::size_t> m_counted; //!< see GetCounted()
    double m_recorded{0};               //!< see GetRecorded()
};

/// @return mean part of the predicted steps that lies behind the next recorded begin
double
MeasureOverlap(const MatchedModel& model, const Prediction& prediction, const BiasSearch& search)
{
    std::map<uint32_t, double> next; // begin of the step behind, by worker
    std::vector<double> part(model.GetSteps().size(), 0);
    for (std::size_t i = part.size(); i-- > 0;)
    {
        const StepRecord& step = model.GetSteps()[i];
        const auto found = next.find(step.worker);
        if (found != next.end() && prediction.mean[i] > 0)
        {
            const double behind = step.start + prediction.mean[i] - found->second;
            part[i] = std::max(0.0, behind) / prediction.mean[i];
        }
        next[step.worker] = step.start;
    }
    double sum = 0;
    for (const std::size_t i : search.GetCounted())
    {
        sum += part[i];
    }
    return sum / static_cast<double>(search.GetCounted().size());
}

} // namespace

std::optional<double>
LinkBias::GetRaw() const
{
    return predicted > 0 ? std::optional<double>(PER_CENT * (recorded / predicted - 1))
                         : std::nullopt;
}

std::optional<double>
LinkBias::GetGain() const
{
    constexpr double LEAST = 0.01; // per cent
    const auto raw = GetRaw();
    return raw && slower && std::fabs(*slower) >= LEAST ? std::optional<double>(*raw / *slower)
                                                        : std::nullopt;
}

RatioBlocks
ListRatios(const std::vector<BiasBlock>& blocks)
{
    RatioBlocks ratios;
    for (const auto& block : blocks)
    {
        ratios.emplace_back(block.residual, block.slope);
    }
    return ratios;
}

LinkBias
EstimateLinkBias(const MatchedModel& model,
                 const std::set<StepName>& counted,
                 uint32_t draws,
                 uint32_t workers,
                 std::vector<BiasBlock>* blocks)
{
    LinkBias bias;
    const BiasSearch search(model, counted, draws);
    bias.steps = search.GetCounted().size();
    bias.recorded = search.GetRecorded();
    if (bias.steps == 0)
    {
        bias.reason = "no step to compare";
        return bias;
    }
    const Prediction base = search.Predict(0);
    bias.predicted = base.sum;
    bias.overlap = MeasureOverlap(model, base, search);
    const auto last = search.Search(base, bias.reason);
    if (last.empty())
    {
        return bias;
    }
    const double distance = last[1].slower - last[0].slower;
    const double part = (bias.recorded - last[0].sum) / (last[1].sum - last[0].sum);
    bias.slower = last[0].slower + part * distance;

    std::vector<std::size_t> order = search.GetCounted();
    const auto& steps = model.GetSteps();
    std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
        return std::make_pair(steps[one].end, one) < std::make_pair(steps[other].end, other);
    });
    std::vector<BiasBlock> found;
    double unexplained = 0;
    double drawn = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
    {
        if (i % (2 * std::size_t{workers}) == 0)
        {
            found.emplace_back();
        }
        const std::size_t step = order[i];
        const double slope = (last[1].mean[step] - last[0].mean[step]) / distance;
        const double residual =
            steps[step].end - steps[step].start - (last[0].mean[step] + part * distance * slope);
        found.back().steps.push_back(step);
        found.back().residual += residual;
        found.back().slope += slope;
        unexplained += residual * residual;
        drawn += last[0].deviation[step] * last[0].deviation[step];
    }
    bias.halfWidth = EstimateRatioInterval(ListRatios(found));
    if (drawn > 0)
    {
        bias.spread = std::sqrt(unexplained / drawn);
    }
    if (blocks)
    {
        *blocks = std::move(found);
    }
    return bias;
}

} // namespace ns3::dml
