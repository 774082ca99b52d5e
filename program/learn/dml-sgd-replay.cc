/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sgd-replay.h"

#include "ns3/dml-error.h"
#include "ns3/rng-stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Times the first loss: where a run diverges.
constexpr double DIVERGED = 1000;

constexpr int FIRST_EXPONENT = -2; // of two: the rate that is tried first
constexpr int LEAST_EXPONENT = -20;
constexpr int LARGEST_EXPONENT = 10;

constexpr uint64_t STREAM_BASE = 31000000; // ns-3 stream of the samples of worker 0
constexpr uint32_t MOST_STEPS = 1U << 24U; // of a worker that draws samples of its own
constexpr double EACH_UPDATE = 50;         // of the model, after which the loss is measured
constexpr double MORE_UPDATES = 1.02;      // from then on

/// A tensor and one of its versions.
using TensorVersion = std::pair<uint32_t, uint64_t>;

/// A version of a tensor that is to be made.
struct VersionUpdate
{
    TensorVersion version;           //!< which
    double time{0};                  //!< when, s
    std::size_t line{0};             //!< of the file
    std::vector<uint32_t> gradients; //!< that are put into it
};

/// A gradient on its way: begun when the first of its parameters is there.
struct OpenGradient
{
    Eigen::VectorXd parameters; //!< on which it is computed, then the gradient
    uint32_t uses{0};           //!< updates to come
    uint32_t reads{0};          //!< tensors whose version is not there yet
    bool computed{false};       //!< whether parameters is the gradient
};

/// @return first parameter of each tensor, and the end
std::vector<Eigen::Index>
DivideParameters(const std::vector<uint64_t>& tensors, Eigen::Index parameters)
{
    const double total = std::accumulate(tensors.begin(), tensors.end(), 0.0);
    std::vector<Eigen::Index> starts{0};
    double sum = 0;
    for (const uint64_t bytes : tensors)
    {
        sum += total > 0 ? bytes : 1;
        starts.push_back(std::lround(parameters * sum / (total > 0 ? total : tensors.size())));
    }
    return starts;
}

/// The state of a replay.
class SgdReplay
{
  public:
    SgdReplay(const GradientLog& log, const LearningProblem& problem, double rate)
        : m_log(log),
          m_problem(problem),
          m_rate(rate),
          m_parameters(problem.GetStart()),
          m_starts(DivideParameters(log.tensors, m_parameters.size())),
          m_open(log.gradients.size())
    {
        std::map<TensorVersion, std::size_t> places;
        for (const auto& update : log.updates)
        {
            const TensorVersion version{update.tensor, update.made};
            const auto [place, added] = places.emplace(version, m_updates.size());
            if (added)
            {
                m_updates.push_back({version, update.time, update.line, {}});
            }
            m_updates[place->second].gradients.push_back(update.gradient);
            m_readers[{update.tensor, update.read}].push_back(update.gradient);
            ++m_open[update.gradient].uses;
            ++m_open[update.gradient].reads;
        }
        for (uint32_t tensor = 0; tensor < log.tensors.size(); ++tensor)
        {
            HandOut({tensor, 0});
        }
    }

    std::size_t CountUpdates() const
    {
        return m_updates.size();
    }

    /// @param number of the update, from 0, in order
    void Update(std::size_t number)
    {
        const VersionUpdate& update = m_updates[number];
        const auto first = m_starts[update.version.first];
        const auto count = m_starts[update.version.first + 1] - first;
        m_time = update.time;
        if (m_log.gradients[update.gradients.front()].batch == 0)
        {
            OpenGradient& saved = GetRead(update.gradients.front(), update.line);
            m_parameters.segment(first, count) = saved.parameters.segment(first, count);
            saved.parameters.resize(0);
            HandOut(update.version);
            return;
        }
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(count);
        double samples = 0;
        for (const uint32_t number : update.gradients)
        {
            const double batch = m_log.gradients[number].batch;
            sum += batch * Compute(number, update.line).segment(first, count);
            samples += batch;
            if (--m_open[number].uses == 0)
            {
                m_open[number].parameters.resize(0);
            }
            m_samples += m_log.gradients[number].batch;
        }
        m_parameters.segment(first, count) -= m_rate * sum / samples;
        HandOut(update.version);
    }

    /// @param updates that have been done @return how far it is
    LossPoint Measure(std::size_t updates) const
    {
        const std::size_t tensors = std::max<std::size_t>(1, m_log.tensors.size());
        return {static_cast<double>(updates) / tensors,
                m_samples / tensors,
                m_time,
                m_problem.GetLoss(m_parameters)};
    }

  private:
    /// Give a version that is there to all gradients that are computed on it.
    void HandOut(const TensorVersion& version)
    {
        const auto readers = m_readers.find(version);
        if (readers == m_readers.end())
        {
            return;
        }
        const auto first = m_starts[version.first];
        const auto count = m_starts[version.first + 1] - first;
        for (const uint32_t number : readers->second)
        {
            OpenGradient& open = m_open[number];
            if (open.parameters.size() == 0)
            {
                open.parameters =
                    m_parameters; // of tensors without a gradient of it, whatever is there
            }
            open.parameters.segment(first, count) = m_parameters.segment(first, count);
            --open.reads;
        }
        m_readers.erase(readers);
    }

    /// @return a gradient that has all versions on which it is computed
    OpenGradient& GetRead(uint32_t number, std::size_t line)
    {
        OpenGradient& open = m_open[number];
        if (open.reads > 0)
        {
            throw InputError(m_log.file + ":" + std::to_string(line) +
                             ": found a gradient that was applied before a version of the "
                             "parameters on which it was computed was there; accepted: versions "
                             "that were made before they are read");
        }
        return open;
    }

    const Eigen::VectorXd& Compute(uint32_t number, std::size_t line)
    {
        OpenGradient& open = GetRead(number, line);
        if (!open.computed)
        {
            const Eigen::VectorXd parameters = open.parameters;
            m_problem.Evaluate(parameters, DrawSamples(m_log.gradients[number]), &open.parameters);
            open.computed = true;
        }
        return open.parameters;
    }

    std::vector<uint32_t> DrawSamples(const LoggedGradient& gradient)
    {
        RngStream random(1,
                         STREAM_BASE + gradient.worker,
                         m_log.replication * uint64_t{MOST_STEPS} + gradient.step);
        std::vector<uint32_t> samples(gradient.batch);
        const uint32_t count = m_problem.GetSamples();
        for (uint32_t& sample : samples)
        {
            sample = std::min<uint32_t>(count - 1, random.RandU01() * count);
        }
        return samples;
    }

    const GradientLog& m_log;                                 //!< of the run
    const LearningProblem& m_problem;                         //!< what is learnt
    double m_rate;                                            //!< learning rate
    Eigen::VectorXd m_parameters;                             //!< the latest versions
    std::vector<Eigen::Index> m_starts;                       //!< of tensors in them, and the end
    std::vector<OpenGradient> m_open;                         //!< by gradient
    std::vector<VersionUpdate> m_updates;                     //!< in order
    std::map<TensorVersion, std::vector<uint32_t>> m_readers; //!< of versions to come: gradients
    uint64_t m_samples{0};                                    //!< of gradients, for each tensor
    double m_time{0};                                         //!< of the last update, s
};

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
    run.diverges = !(run.curve.back().loss <= DIVERGED); // or no number
    return run;
}

/// How good a learning rate is: less is better, the time to the target first.
using RateScore = std::pair<double, double>;

/// @param log of the first run @return the best of the powers of two, between which the score has
/// one minimum
double
FindRate(const GradientLog& log, const LearningProblem& problem, double target)
{
    std::map<int, RateScore> scores; // by exponent
    const auto score = [&](int exponent) {
        const auto [known, added] = scores.try_emplace(exponent);
        if (added)
        {
            constexpr double NEVER = std::numeric_limits<double>::infinity();
            const LearnedRun run = Learn(log, problem, target, std::exp2(exponent));
            const double last = run.curve.back().loss;
            // the farther it is from rates that do not diverge, the worse
            const double worst = 2 * DIVERGED + exponent - LEAST_EXPONENT;
            known->second = {last <= target ? run.target->time : NEVER,
                             run.diverges ? worst : last};
        }
        return known->second;
    };
    int best = FIRST_EXPONENT;
    for (const int step : {1, -1})
    {
        while (best + step >= LEAST_EXPONENT && best + step <= LARGEST_EXPONENT &&
               score(best + step) < score(best))
        {
            best += step;
        }
    }
    return std::exp2(best);
}

} // namespace

std::vector<LossPoint>
ReplaySgd(const GradientLog& log, const LearningProblem& problem, double rate)
{
    SgdReplay replay(log, problem, rate);
    const std::size_t updates = replay.CountUpdates();
    const std::size_t tensors = std::max<std::size_t>(1, log.tensors.size());
    std::vector<LossPoint> curve{replay.Measure(0)};
    double next = 1; // update of the model after which the loss is measured
    for (std::size_t done = 1; done <= updates; ++done)
    {
        replay.Update(done - 1);
        if (done < std::lround(next) * tensors && done != updates)
        {
            continue;
        }
        next = std::max(next + 1, next < EACH_UPDATE ? 0 : MORE_UPDATES * next);
        curve.push_back(replay.Measure(done));
        if (!(curve.back().loss <= DIVERGED * curve.front().loss))
        {
            break;
        }
    }
    return curve;
}

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
            const double rate =
                options.rate ? *options.rate : FindRate(log, problem, options.target);
            scheme = schemes.insert(scheme, {names[i], log.workers, log.engine, rate, 0, {}});
        }
        scheme->runs.push_back(Learn(log, problem, options.target, scheme->rate));
        const double runs = scheme->runs.size();
        scheme->staleness += (log.GetMeanStaleness() - scheme->staleness) / runs;
    }
    return schemes;
}

} // namespace ns3::dml
