/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-learned-scheme.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace ns3::dml
{

namespace
{

constexpr int FIRST_EXPONENT = -2; // of two: the rate that is tried first
constexpr int LEAST_EXPONENT = -20;
constexpr int LARGEST_EXPONENT = 10;

/// @param loss over the first one @return whether that is no learning
bool
Diverges(double loss)
{
    return !(loss <= DIVERGED);
}

LearnedRun
Learn(const GradientLog& log, const LearningProblem& problem, double target, double rate)
{
    LearnedRun run{log.replication, ReplaySgd(log, problem, rate), {}, false};
    const double first = run.curve.front().loss;
    for (LossPoint& point : run.curve)
    {
        point.loss /= first;
        if (!run.target && point.loss <= target)
        {
            run.target = point;
        }
    }
    run.diverges = Diverges(run.curve.back().loss);
    return run;
}

/// How good a learning rate is: less is better, the time to the target first.
using RateScore = std::pair<double, double>;

/// Searches the powers of two, between which the score has one minimum.
class RateSearch
{
  public:
    RateSearch(const GradientLog& log, const LearningProblem& problem, double target)
        : m_log(log),
          m_problem(problem),
          m_target(target)
    {
    }

    double Find()
    {
        int best = FIRST_EXPONENT;
        for (const int step : {1, -1})
        {
            while (best + step >= LEAST_EXPONENT && best + step <= LARGEST_EXPONENT &&
                   GetScore(best + step) < GetScore(best))
            {
                best += step;
            }
        }
        return std::exp2(best);
    }

  private:
    const RateScore& GetScore(int exponent)
    {
        const auto [known, added] = m_scores.try_emplace(exponent);
        if (added)
        {
            constexpr double NEVER = std::numeric_limits<double>::infinity();
            const LearnedRun run = Learn(m_log, m_problem, m_target, std::exp2(exponent));
            const double last = run.curve.back().loss;
            // the farther it is from rates that do not diverge, the worse
            const double worst = 2 * DIVERGED + exponent - LEAST_EXPONENT;
            known->second = {last <= m_target ? run.target->time : NEVER,
                             run.diverges ? worst : last};
        }
        return known->second;
    }

    const GradientLog& m_log;          //!< of the first run
    const LearningProblem& m_problem;  //!< what is learnt
    double m_target;                   //!< loss
    std::map<int, RateScore> m_scores; //!< by exponent
};

} // namespace

std::vector<LearnedScheme>
LearnSchemes(const std::vector<GradientLog>& logs,
             const std::vector<std::string>& names,
             const LearningProblem& problem,
             const LearnOptions& options)
{
    std::vector<LearnedScheme> schemes;
    for (std::size_t i = 0; i < logs.size(); ++i)
    {
        const GradientLog& log = logs[i];
        auto scheme = std::find_if(schemes.begin(), schemes.end(), [&](const LearnedScheme& other) {
            return std::tie(other.name, other.workers, other.engine) ==
                   std::tie(names[i], log.workers, log.engine);
        });
        if (scheme == schemes.end())
        {
            const double rate = options.rate.value_or(0);
            scheme = schemes.insert(scheme, {names[i], log.workers, log.engine, rate, 0, {}});
            if (!options.rate)
            {
                scheme->rate = RateSearch(log, problem, options.target).Find();
            }
        }
        scheme->runs.push_back(Learn(log, problem, options.target, scheme->rate));
        const double runs = scheme->runs.size();
        scheme->staleness += (log.GetMeanStaleness() - scheme->staleness) / runs;
    }
    return schemes;
}

} // namespace ns3::dml
