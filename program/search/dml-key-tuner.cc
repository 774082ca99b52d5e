/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key-tuner.h"

#include "ns3/dml-error.h"
#include "ns3/dml-unit-parser.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/core.h>
#include <map>
#include <nlopt.hpp>
#include <sstream>

namespace ns3::dml
{

namespace
{

/// Keys, and groups of them, that say what is trained and what is measured of it.
const std::vector<std::string> FIXED_KEYS{"job.profile",
                                          "job.scale",
                                          "job.steps",
                                          "job.warmup",
                                          "job.workers",
                                          "name",
                                          "output",
                                          "replications",
                                          "seed",
                                          "sweep"};

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

    /// @param trials most trials @return all trials, in order
    std::vector<KeyTrial> Run(uint32_t trials)
    {
        const std::vector<double> middle(m_ranges.size(), 0.5);
        Continue(nlopt::GN_DIRECT_L, std::max<uint32_t>(1, trials - trials / 3), middle);
        if (!m_best.empty())
        {
            Continue(nlopt::LN_SBPLX, trials, m_best);
        }
        return std::move(m_trials);
    }

  private:
    /// Go on until there are @p most trials. @param start place to start from
    void Continue(nlopt::algorithm algorithm, uint32_t most, std::vector<double> start)
    {
        m_most = most;
        nlopt::opt search(algorithm, m_ranges.size());
        search.set_lower_bounds(0);
        search.set_upper_bounds(1);
        search.set_maxeval(EVALUATIONS * static_cast<int>(most));
        search.set_max_objective([](const std::vector<double>& place,
                                    std::vector<double>&,
                                    void* self) { return static_cast<Search*>(self)->Try(place); },
                                 this);
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

KeyRange::KeyRange(const std::string& text)
{
    const auto refuse = [&text](const std::string& why) {
        throw InputError("--keys: found '" + text + "'" + why +
                         "; accepted: KEY=LOW..HIGH, such as transfer.partition=64KB..16MB, both "
                         "sizes, times or numbers");
    };
    const std::size_t equals = text.find('=');
    const std::size_t dots = equals == std::string::npos ? equals : text.find("..", equals);
    if (equals == 0 || dots == std::string::npos)
    {
        refuse("");
    }
    m_key = text.substr(0, equals);
    if (std::find(FIXED_KEYS.begin(), FIXED_KEYS.end(), m_key.substr(0, m_key.find('.'))) !=
            FIXED_KEYS.end() ||
        std::find(FIXED_KEYS.begin(), FIXED_KEYS.end(), m_key) != FIXED_KEYS.end())
    {
        throw InputError("--keys: found " + m_key +
                         ", with which something else is trained or measured, not the same faster; "
                         "accepted: any other key");
    }
    const std::string low = text.substr(equals + 1, dots - equals - 1);
    const std::string high = text.substr(dots + 2);
    const auto read = [&](auto parse, Unit unit) {
        const auto first = parse(low);
        const auto last = parse(high);
        if (first && last)
        {
            m_low = static_cast<double>(*first);
            m_high = static_cast<double>(*last);
            m_unit = unit;
        }
        return first && last;
    };
    if (!read(ParseInteger, Unit::INTEGER) && !read(ParseNumber, Unit::DECIMAL) &&
        !read(ParseSize, Unit::BYTES) && !read(ParseNanoseconds, Unit::NANOSECONDS))
    {
        refuse("");
    }
    if (!(m_low < m_high))
    {
        refuse(", whose first value is not below the second one");
    }
    m_logarithmic = m_low > 0 && m_high >= 10 * m_low;
}

std::string
KeyRange::GetValue(double place) const
{
    const double value = std::clamp(m_logarithmic ? m_low * std::pow(m_high / m_low, place)
                                                  : m_low + place * (m_high - m_low),
                                    m_low,
                                    m_high);
    const std::string whole = std::to_string(std::llround(value));
    switch (m_unit)
    {
    case Unit::BYTES:
        return whole + "B";
    case Unit::NANOSECONDS:
        return whole + "ns";
    case Unit::INTEGER:
        return whole;
    case Unit::DECIMAL:
        break;
    }
    return fmt::format("{:.6g}", value);
}

std::vector<KeyRange>
ReadKeyRanges(const std::string& text)
{
    if (text.empty())
    {
        throw InputError("--keys: found nothing; accepted: KEY=LOW..HIGH, such as "
                         "transfer.partition=64KB..16MB");
    }
    std::vector<KeyRange> ranges;
    std::istringstream items(text + ","); // an item that is missing is one without text
    for (std::string item; std::getline(items, item, ',');)
    {
        ranges.emplace_back(item);
        const auto twin =
            std::find_if(ranges.begin(), ranges.end() - 1, [&ranges](const KeyRange& range) {
                return range.GetKey() == ranges.back().GetKey();
            });
        if (twin != ranges.end() - 1)
        {
            throw InputError("--keys: found " + twin->GetKey() + " twice; accepted: each key once");
        }
    }
    return ranges;
}

std::vector<KeyTrial>
TuneKeys(const std::vector<KeyRange>& ranges,
         uint32_t trials,
         const std::function<std::optional<double>(const std::vector<std::string>&)>& score,
         const std::function<void(const KeyTrial&)>& told)
{
    return Search(ranges, score, told).Run(trials);
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
