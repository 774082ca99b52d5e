/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key-tuner.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <nlopt.hpp>

namespace ns3::dml
{

namespace
{

/// Evaluations of NLopt for each trial, at most: many of them are of values that were tried.
constexpr int EVALUATIONS = 20;

/// What an NLopt objective knows.
class Search
{
  public:
    Search(const std::vector<KeyRange>& ranges,
           const std::function<std::optional<double>(const std::vector<std::string>&)>& score,
           const std::function<void(const KeyTrial&)>& told)
        : m_ranges(ranges),
          m_score(score),
          m_told(told)
    {
    }

    /// Go on until there are @p most trials. @param start place to start from
    void Run(nlopt::algorithm algorithm, uint32_t most, std::vector<double> start)
    {
        m_most = most;
        nlopt::opt search(algorithm, m_ranges.size());
        search.set_lower_bounds(0);
        search.set_upper_bounds(1);
        search.set_maxeval(EVALUATIONS * static_cast<int>(most));
        search.set_max_objective(Evaluate, this);
        search.set_initial_step(0.1);
        if (m_trials.size() >= most)
        {
            return;
        }
        try
        {
            double best = 0;
            m_search = &search;
            search.optimize(start, best);
        }
        catch (const nlopt::roundoff_limited&)
        {
            // nothing better is near
        }
        catch (const nlopt::forced_stop&)
        {
            // all trials have been made
        }
        if (m_error)
        {
            std::rethrow_exception(m_error); // not through NLopt, which is C
        }
    }

    const std::vector<KeyTrial>& GetTrials() const
    {
        return m_trials;
    }

    /// @return place of the best trial; the middle if there is none
    const std::vector<double>& GetBestPlace() const
    {
        return m_best;
    }

  private:
    static double Evaluate(const std::vector<double>& place, std::vector<double>&, void* self)
    {
        return static_cast<Search*>(self)->Try(place);
    }

    double Try(const std::vector<double>& place)
    {
        KeyTrial trial;
        for (std::size_t i = 0; i < place.size(); ++i)
        {
            trial.values.push_back(m_ranges[i].GetValue(place[i]));
        }
        const auto known = m_known.find(trial.values);
        if (known != m_known.end())
        {
            return known->second;
        }
        if (m_trials.size() >= m_most)
        {
            m_search->force_stop();
            return m_worst;
        }
        try
        {
            trial.score = m_score(trial.values);
            m_told(trial);
        }
        catch (...)
        {
            m_error = std::current_exception();
            m_search->force_stop();
            return m_worst;
        }
        m_trials.push_back(trial);
        if (trial.score && (m_best.empty() || *trial.score > m_bestScore))
        {
            m_bestScore = *trial.score;
            m_best = place;
        }
        m_worst = trial.score ? std::min(m_worst, *trial.score) : m_worst;
        // what does not fit is worse than all else, by a number that a search can work with
        return m_known[trial.values] = trial.score.value_or(m_worst);
    }

    const std::vector<KeyRange>& m_ranges; //!< keys
    const std::function<std::optional<double>(const std::vector<std::string>&)>&
        m_score;                                        //!< of values
    const std::function<void(const KeyTrial&)>& m_told; //!< of trials
    uint32_t m_most{0};                                 //!< trials
    std::vector<KeyTrial> m_trials;                     //!< so far
    std::map<std::vector<std::string>, double> m_known; //!< their scores
    std::vector<double> m_best;                         //!< place of the best one
    double m_bestScore{0};                              //!< its score
    double m_worst{0};                                  //!< lowest score
    nlopt::opt* m_search{nullptr};                      //!< search under way
    std::exception_ptr m_error;                         //!< error that ended it
};

} // namespace

std::vector<KeyTrial>
TuneKeys(const std::vector<KeyRange>& ranges,
         uint32_t trials,
         const std::function<std::optional<double>(const std::vector<std::string>&)>& score,
         const std::function<void(const KeyTrial&)>& told)
{
    Search search(ranges, score, told);
    const std::vector<double> middle(ranges.size(), 0.5);
    search.Run(nlopt::GN_DIRECT_L, std::max<uint32_t>(1, trials - trials / 3), middle);
    if (!search.GetBestPlace().empty())
    {
        search.Run(nlopt::LN_SBPLX, trials, search.GetBestPlace());
    }
    return search.GetTrials();
}

std::optional<KeyTrial>
FindBest(const std::vector<KeyTrial>& trials)
{
    std::optional<KeyTrial> best;
    for (const auto& trial : trials)
    {
        if (trial.score && (!best || *trial.score > *best->score))
        {
            best = trial;
        }
    }
    return best;
}

} // namespace ns3::dml
