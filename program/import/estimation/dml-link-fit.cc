/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-fit.h"

#include "dml-robust-fit.h"
#include "dml-stream-errors.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace ns3::dml
{

namespace
{

/// Times that the noise is estimated and the fit repeated.
constexpr int NOISE_ROUNDS = 2;
/// Starts of the grid that are polished, and those of them that are searched from.
constexpr std::size_t POLISHED = 6;
constexpr std::size_t SEARCHED = 2;
/// The scale of the loss is at least the noise that rounding alone makes.
constexpr double LEAST_SCALE = 1;
/// 1 / rate at least, in units of time per byte.
constexpr double LEAST_PER_BYTE = 1e-3;
constexpr double INFINITE = std::numeric_limits<double>::infinity();

/// The fit of one set of numbers.
class LinkFitter
{
  public:
    LinkFitter(const std::vector<StreamGroup>& groups,
               const LinkModel& link,
               const LinkFitOptions& options)
        : m_errors(groups, options.lastBytes),
          m_link(link),
          m_intervals(options.intervals)
    {
        const double perByte = options.rate ? m_errors.GetSecondsPerByte() : 1 / link.rate;
        const double perMessage = m_errors.GetSecondsPerMessage();
        m_units = {perMessage, perByte, perByte, perMessage, 1};
        m_given = {link.latency / perMessage, 1, link.alpha / perByte, link.beta / perMessage, 1};
        m_free = {true,
                  options.rate,
                  !options.lastBytes,
                  !options.lastBytes,
                  options.window.has_value()};
        m_least[PER_BYTE] = LEAST_PER_BYTE;
        m_most.fill(INFINITE);
        if (options.window)
        {
            m_units[WINDOW] = static_cast<double>(std::max<uint64_t>(1, link.window));
            m_least[WINDOW] = static_cast<double>(options.window->first) / m_units[WINDOW];
            m_most[WINDOW] = static_cast<double>(options.window->second) / m_units[WINDOW];
        }
        MakeProblem();
    }

    LinkFit Run()
    {
        std::vector<Eigen::VectorXd> optima = Search();
        LinkFit fit;
        Numbers numbers = Unpack(optima.front());
        if (m_free[PER_BYTE] && m_free[ALPHA])
        {
            const double loss = GetLoss(optima.front());
            Eigen::VectorXd without = FitWithoutAlpha(numbers);
            if (m_problem.GetDeviance(GetLoss(without) - loss) < LEAST_DEVIANCE)
            {
                numbers = Unpack(without);
                fit.alphaNeeded = false;
            }
            PolishFit(m_problem, without);
            optima.push_back(std::move(without));
        }
        std::vector<FitInterval> intervals(optima.front().size());
        if (m_intervals)
        {
            const LinkModel best = MakeLink(Unpack(optima.front()));
            intervals = FindIntervals(m_problem,
                                      optima,
                                      {m_errors.GetClusters(), m_errors.GetFrameErrors(best)});
        }
        fit.link = MakeLink(numbers);
        fit.used = m_errors.GetSize();
        fit.loss = m_errors.GetErrors(fit.link).cwiseAbs().mean();
        std::array<FittedValue*, COUNT> values{&fit.latency,
                                               &fit.secondsPerByte,
                                               &fit.alpha,
                                               &fit.beta,
                                               &fit.windowBytes};
        Eigen::Index next = 0;
        for (std::size_t i = 0; i < COUNT; ++i)
        {
            const double value = numbers[i] * m_units[i];
            *values[i] = {value, value, value, m_free[i]};
            if (m_free[i])
            {
                SetInterval(i, intervals[next++], *values[i]);
            }
        }
        return fit;
    }

  private:
    /// Places of Numbers.
    enum : std::size_t
    {
        LATENCY,  //!< from request to first byte
        PER_BYTE, //!< 1 / rate
        ALPHA,    //!< parsing per byte
        BETA,     //!< parsing per message
        WINDOW,   //!< WIN
        COUNT,
    };

    /// The numbers that may be fitted, in their units.
    using Numbers = std::array<double, COUNT>;
    /// Numbers that are fitted, those with the least loss first.
    using ByLoss = std::multimap<double, Eigen::VectorXd>;

    /// Set the interval of a number, around its value.
    void SetInterval(std::size_t place, const FitInterval& interval, FittedValue& value) const
    {
        // A rate that may be this large may be any.
        const double lower = place == PER_BYTE && interval.lower <= LEAST_PER_BYTE
                                 ? 0
                                 : interval.lower * m_units[place];
        value.lower = std::min(value.value, lower);
        value.upper = std::max(value.value, interval.upper * m_units[place]);
    }

    /// @return the numbers in @p x that are fitted
    Eigen::VectorXd Pack(const Numbers& x) const
    {
        Eigen::VectorXd packed(std::count(m_free.begin(), m_free.end(), true));
        Eigen::Index next = 0;
        for (std::size_t i = 0; i < COUNT; ++i)
        {
            if (m_free[i])
            {
                packed[next++] = x[i];
            }
        }
        return packed;
    }

    /// @param packed as of Pack(); @return all numbers
    Numbers Unpack(const Eigen::VectorXd& packed) const
    {
        Numbers x = m_given;
        Eigen::Index next = 0;
        for (std::size_t i = 0; i < COUNT; ++i)
        {
            if (m_free[i])
            {
                x[i] = packed[next++];
            }
        }
        return x;
    }

    /// @return the model that @p x stands for
    LinkModel MakeLink(const Numbers& x) const
    {
        LinkModel link = m_link;
        link.latency = x[LATENCY] * m_units[LATENCY];
        link.rate = 1 / (x[PER_BYTE] * m_units[PER_BYTE]);
        link.alpha = x[ALPHA] * m_units[ALPHA];
        link.beta = x[BETA] * m_units[BETA];
        if (m_free[WINDOW])
        {
            link.window = static_cast<uint64_t>(std::llround(x[WINDOW] * m_units[WINDOW]));
        }
        return link;
    }

    /// Make the problem of the numbers that are free.
    void MakeProblem(double scale = RobustProblem::SMOOTH)
    {
        m_problem.residuals = [this](const Eigen::VectorXd& x) {
            return m_errors.GetResiduals(MakeLink(Unpack(x)));
        };
        m_problem.least = Pack(m_least);
        m_problem.most = Pack(m_most);
        m_problem.steps = Pack({0, 0, 0, 0, 1 / m_units[WINDOW]}); // whole bytes
        m_problem.scale = scale;
    }

    /// @return numbers to start from, those with the least loss first
    std::vector<Eigen::VectorXd> ListStarts()
    {
        m_problem.scale = 0;
        ByLoss starts;
        for (const double perByte : {1.0, 0.8, 0.4, 0.15, 0.05})
        {
            for (const double alpha : {0.0, 0.2, 0.6, 0.95})
            {
                for (const double beta : {0.0, 0.3, 1.0})
                {
                    const Numbers tried{beta, perByte, alpha, beta, 1};
                    const Eigen::VectorXd x = Pack(tried);
                    starts.emplace(GetLoss(x), x);
                }
            }
        }
        std::vector<Eigen::VectorXd> best;
        for (const auto& [loss, x] : starts)
        {
            if (best.size() < POLISHED && (best.empty() || x != best.back()))
            {
                best.push_back(x);
            }
        }
        return best;
    }

    /// @return the loss at @p x
    double GetLoss(const Eigen::VectorXd& x) const
    {
        return m_problem.GetLoss(m_problem.residuals(x));
    }

    /// @return the best numbers with an alpha of 0, near @p numbers with a rate that has all of it
    Eigen::VectorXd FitWithoutAlpha(Numbers numbers)
    {
        const RobustProblem whole = m_problem;
        numbers[PER_BYTE] += numbers[ALPHA];
        numbers[ALPHA] = m_given[ALPHA] = 0;
        m_free[ALPHA] = false;
        MakeProblem(whole.scale);
        Eigen::VectorXd rest = Pack(numbers);
        SearchFit(m_problem, rest);
        numbers = Unpack(rest);
        m_free[ALPHA] = true;
        m_problem = whole;
        return Pack(numbers);
    }

    /// @return the best of several searches, and other optima that they found
    std::vector<Eigen::VectorXd> Search()
    {
        ByLoss polished;
        for (const Eigen::VectorXd& start : ListStarts())
        {
            // The mean finds its way from afar, the median is not led astray by outliers.
            Eigen::VectorXd mean = start;
            m_problem.scale = RobustProblem::SMOOTH;
            PolishFit(m_problem, mean);
            m_problem.scale = 0;
            for (Eigen::VectorXd x : {mean, start})
            {
                const double loss = PolishFit(m_problem, x);
                polished.emplace(loss, x);
            }
        }
        std::vector<Eigen::VectorXd> found;
        Eigen::VectorXd best;
        double least = INFINITE;
        for (auto& [polishedLoss, x] : polished)
        {
            const double loss = found.size() < SEARCHED ? SearchFit(m_problem, x) : INFINITE;
            if (loss < least)
            {
                least = loss;
                best = x;
            }
            found.push_back(x);
        }
        for (int round = 0; round < NOISE_ROUNDS; ++round)
        {
            m_errors.EstimateNoise(MakeLink(Unpack(best)));
            // Link and parser may have changed their parts.
            Numbers swapped = Unpack(best);
            const double sum = swapped[PER_BYTE] + swapped[ALPHA];
            if (m_free[PER_BYTE] && m_free[ALPHA])
            {
                const bool link = swapped[PER_BYTE] > swapped[ALPHA];
                swapped[PER_BYTE] = link ? LEAST_PER_BYTE : sum;
                swapped[ALPHA] = link ? sum : 0;
            }
            Eigen::VectorXd other = Pack(swapped);
            const double otherLoss = SearchFit(m_problem, other);
            const double loss = SearchFit(m_problem, best);
            found.push_back(otherLoss < loss ? best : other);
            best = otherLoss < loss ? other : best;
        }
        m_problem.scale = std::max(LEAST_SCALE, GetRobustScale(m_problem.residuals(best)));
        SearchFit(m_problem, best);
        found.push_back(best);
        polished.clear();
        for (Eigen::VectorXd& x : found)
        {
            const double loss = PolishFit(m_problem, x);
            polished.emplace(loss, x);
        }
        std::transform(polished.begin(), polished.end(), found.begin(), [](const auto& fit) {
            return fit.second;
        });
        return found;
    }

    StreamErrors m_errors;          //!< data
    LinkModel m_link;               //!< what is not fitted
    bool m_intervals;               //!< whether to find intervals
    std::array<bool, COUNT> m_free; //!< by number: whether it is fitted
    Numbers m_units{};              //!< of the numbers
    Numbers m_given{};              //!< numbers that are not fitted
    Numbers m_least{};              //!< bounds of the numbers
    Numbers m_most{};               //!< bounds of the numbers
    RobustProblem m_problem;        //!< the numbers that are free
};

/// Times that the scale of errors is estimated and the fit repeated.
constexpr int SCALE_ROUNDS = 4;

/// Overheads and the sizes that they belong to.
struct Overheads
{
    std::vector<double> bytes;   //!< sizes
    std::vector<double> seconds; //!< last byte (or parser free) to end
    FitClusters clusters;        //!< of these
};

/// @return the overhead of each stream whose last byte is known
Overheads
GetOverheads(const std::vector<StreamGroup>& groups, bool parallel)
{
    Overheads overheads;
    for (std::size_t g = 0; g < groups.size(); ++g)
    {
        std::vector<const Stream*> order;
        for (const Stream& stream : groups[g].streams)
        {
            order.push_back(&stream);
        }
        // The parser takes one after the other, so what ended earlier was parsed before.
        std::stable_sort(order.begin(), order.end(), [](const Stream* a, const Stream* b) {
            return a->end < b->end;
        });
        double free = -std::numeric_limits<double>::infinity();
        for (const Stream* stream : order)
        {
            if (!std::isnan(stream->lastByte))
            {
                const double start = std::max(
                    {stream->lastByte, free, parallel ? stream->parserFree : stream->deviceFree});
                overheads.bytes.push_back(static_cast<double>(stream->bytes));
                overheads.seconds.push_back(stream->end - start);
                overheads.clusters.groups.push_back(g);
                overheads.clusters.tensors.push_back(stream->tensor);
            }
            free = stream->end;
        }
    }
    return overheads;
}

} // namespace

LinkFit
FitLink(const std::vector<StreamGroup>& groups,
        const LinkModel& link,
        const LinkFitOptions& options)
{
    return LinkFitter(groups, link, options).Run();
}

ParsingFit
FitParsing(const std::vector<StreamGroup>& groups, bool parallel)
{
    const Overheads overheads = GetOverheads(groups, parallel);
    ParsingFit fit;
    fit.used = overheads.bytes.size();
    if (fit.used < 2)
    {
        throw InputError("found " + std::to_string(fit.used) +
                         " transfers whose last byte is known; accepted: at least 2");
    }
    const auto size = static_cast<Eigen::Index>(fit.used);
    const Eigen::VectorXd bytes = Eigen::Map<const Eigen::VectorXd>(overheads.bytes.data(), size);
    const Eigen::VectorXd seconds =
        Eigen::Map<const Eigen::VectorXd>(overheads.seconds.data(), size);
    const double unit = std::max(1e-9, seconds.cwiseAbs().mean());
    const double unitPerByte = unit / std::max(1.0, bytes.mean());
    const double noise = TWO_ROUNDED * GetResolution(groups);

    RobustProblem problem;
    problem.residuals = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
        return (x[0] * unitPerByte * bytes.array() + x[1] * unit - seconds.array()) / noise;
    };
    problem.least = Eigen::Vector2d::Zero();
    problem.most = Eigen::Vector2d::Constant(std::numeric_limits<double>::infinity());
    problem.steps = Eigen::Vector2d::Zero();
    Eigen::VectorXd x = Eigen::Vector2d(0.5, 0.5);
    PolishFit(problem, x);
    for (int round = 0; round < SCALE_ROUNDS; ++round)
    {
        problem.scale = std::max(1.0, GetRobustScale(problem.residuals(x)));
        PolishFit(problem, x);
    }
    const std::vector<FitInterval> intervals =
        FindIntervals(problem, {x}, {overheads.clusters, {}});
    const auto value = [&](Eigen::Index i, double scale) {
        return FittedValue{x[i] * scale,
                           intervals[i].lower * scale,
                           intervals[i].upper * scale,
                           true};
    };
    fit.alpha = value(0, unitPerByte);
    fit.beta = value(1, unit);
    fit.loss = noise * problem.residuals(x).cwiseAbs().mean();
    return fit;
}

} // namespace ns3::dml
