/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-server-fit.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlopt.hpp>
#include <string>
#include <unsupported/Eigen/NonLinearOptimization>
#include <utility>

namespace ns3::dml
{

namespace
{

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int FIT_EVALUATIONS = 10;    // of the errors in one search, without those for derivatives
constexpr double STEP = 0.3;           // of a logarithm, for derivatives
constexpr double FURTHEST = 12;        // logarithm of a value over its start, either way
constexpr int GRID_EVALUATIONS = 48;   // for each value, of the search for other minima
constexpr int FINE_EVALUATIONS = 16;   // for each value, of the search in the best of them
constexpr double LEAST_REACH = 0.25;   // of that search: logarithm of a value, either way
constexpr double MOST_REACH = 0.7;     // the same, where the linear model tells little
constexpr double REACH = 3;            // standard errors of the linear model that it reaches
constexpr double FIRST = 3;            // length of the first step, relative to the derivatives
constexpr double ENOUGH = 5e-3;        // relative gain for which a search goes on
constexpr double CHI_SQUARE = 3.84;    // 95 % of it, one degree of freedom
constexpr double NORMAL = 1.96;        // half of that interval, in standard errors
constexpr double LEAST_ERROR = 1e-3;   // relative; no throughput is known better
constexpr double MOST_LEVERAGE = 0.95; // of a point that others can predict
// Sine of the angle below which two values change points alike: a simulated throughput is off by
// some per cent, by chance, and a derivative by some tenths of that over STEP.
constexpr double LEAST_ANGLE = 0.2;

/// Errors of all points, in the form that Eigen's LevenbergMarquardt takes.
class RelativeErrors
{
  public:
    using Scalar = double;
    using InputType = VectorXd;
    using ValueType = VectorXd;
    using JacobianType = MatrixXd;

    enum
    {
        InputsAtCompileTime = Eigen::Dynamic,
        ValuesAtCompileTime = Eigen::Dynamic
    };

    explicit RelativeErrors(const ThroughputQuestion& question)
        : m_question(question)
    {
    }

    int inputs() const
    {
        return m_question.start.size();
    }

    int values() const
    {
        return m_question.measured.size();
    }

    /// @param place logarithms of values over their starts @return the values
    std::vector<double> GetValues(const VectorXd& place) const
    {
        std::vector<double> values(m_question.start);
        for (int i = 0; i < inputs(); ++i)
        {
            values[i] *= std::exp(std::clamp(place(i), -FURTHEST, FURTHEST));
        }
        return values;
    }

    /// @return factor of the errors of a point
    double GetWeight(int point) const
    {
        return m_question.errors.empty() ? 1 : 1 / std::max(m_question.errors[point], LEAST_ERROR);
    }

    int operator()(const VectorXd& place, VectorXd& errors) const
    {
        const auto predicted = m_question.model(GetValues(place));
        errors.resize(values());
        for (int i = 0; i < values(); ++i)
        {
            errors(i) = GetWeight(i) * std::log(predicted[i] / m_question.measured[i]);
        }
        return 0;
    }

    int df(const VectorXd& place, MatrixXd& jacobian) const
    {
        jacobian.resize(values(), inputs());
        for (int i = 0; i < inputs(); ++i)
        {
            VectorXd low;
            VectorXd high;
            (*this)(place - STEP * VectorXd::Unit(inputs(), i), low);
            (*this)(place + STEP * VectorXd::Unit(inputs(), i), high);
            jacobian.col(i) = (high - low) / (2 * STEP);
        }
        return 0;
    }

  private:
    const ThroughputQuestion& m_question; //!< measured and predicted
};

/**
 * Simulated throughput has many minima where deterministic workers lock in step: a search that
 * follows derivatives ends in one of them. This one divides a box around the place where it ended
 * (NLopt's DIRECT, D. R. Jones et al., J. Optim. Theory Appl. 79, 1993), goes on from the best
 * (Subplex), and knows all places that it has seen.
 */
class MinimumSearch
{
  public:
    /// @param residuals of the question @param place best so far, in the middle of the box
    /// @param reach of the box, for each value
    MinimumSearch(const RelativeErrors& residuals, const VectorXd& place, const VectorXd& reach)
        : m_residuals(residuals),
          m_best(place),
          m_bestDeviance(Evaluate(place))
    {
        const int values = place.size();
        Continue(nlopt::GN_DIRECT, GRID_EVALUATIONS * values, place - reach, place + reach);
        Continue(nlopt::LN_SBPLX, FINE_EVALUATIONS * values, place - reach, place + reach);
    }

    /// @return the place with the smallest deviance
    const VectorXd& GetBest() const
    {
        return m_best;
    }

    /// @param value index @param deviance a bound @return how far apart places are that do not
    /// exceed it, a logarithm
    double GetSpread(int value, double deviance) const
    {
        double low = m_best(value);
        double high = low;
        for (const auto& [place, found] : m_seen)
        {
            if (found <= deviance)
            {
                low = std::min(low, place(value));
                high = std::max(high, place(value));
            }
        }
        return high - low;
    }

  private:
    void Continue(nlopt::algorithm algorithm, int evaluations, VectorXd low, VectorXd high)
    {
        const int values = m_best.size();
        nlopt::opt search(algorithm, values);
        search.set_lower_bounds(std::vector<double>(low.data(), low.data() + values));
        search.set_upper_bounds(std::vector<double>(high.data(), high.data() + values));
        search.set_maxeval(evaluations);
        search.set_min_objective(
            [](const std::vector<double>& at, std::vector<double>&, void* self) {
                const VectorXd place = Eigen::Map<const VectorXd>(at.data(), at.size());
                return static_cast<MinimumSearch*>(self)->Try(place);
            },
            this);
        search.set_initial_step(std::vector<double>(values, FINE_STEP));
        std::vector<double> start(m_best.data(), m_best.data() + values);
        double best = 0;
        try
        {
            search.optimize(start, best);
        }
        catch (const nlopt::roundoff_limited&)
        {
            // nothing better is near
        }
    }

    double Try(const VectorXd& place)
    {
        const double deviance = Evaluate(place);
        if (deviance < m_bestDeviance)
        {
            m_best = place;
            m_bestDeviance = deviance;
        }
        return deviance;
    }

    double Evaluate(const VectorXd& place)
    {
        VectorXd errors;
        try
        {
            m_residuals(place, errors);
        }
        catch (const InputError&) // the engine does not accept such costs
        {
            return IMPOSSIBLE;
        }
        m_seen.emplace_back(place, errors.squaredNorm());
        return m_seen.back().second;
    }

    static constexpr double FINE_STEP = 5e-3;   // logarithm, at the start of the last search
    static constexpr double IMPOSSIBLE = 1e100; // a deviance

    const RelativeErrors& m_residuals;               //!< of the question
    std::vector<std::pair<VectorXd, double>> m_seen; //!< places and their deviances
    VectorXd m_best;                                 //!< place with the smallest one
    double m_bestDeviance;                           //!< that one
};

/// Standard errors and predictions without a point, from the derivatives at the best place.
void
Judge(const RelativeErrors& residuals, const VectorXd& place, ThroughputFit& fit)
{
    VectorXd errors;
    MatrixXd jacobian;
    residuals(place, errors);
    residuals.df(place, jacobian);
    const Eigen::Index values = jacobian.cols();
    fit.errors.assign(values, std::numeric_limits<double>::infinity());
    fit.leftOut.assign(jacobian.rows(), std::numeric_limits<double>::quiet_NaN());
    const VectorXd norms = jacobian.colwise().norm();
    if (norms.minCoeff() < LEAST_ERROR)
    {
        return; // a value that changes nothing
    }
    Eigen::ColPivHouseholderQR<MatrixXd> qr(jacobian * norms.cwiseInverse().asDiagonal());
    qr.setThreshold(LEAST_ANGLE);
    if (qr.rank() < values)
    {
        return;
    }
    const MatrixXd upper = qr.matrixR().topLeftCorner(values, values);
    const MatrixXd inverse =
        upper.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(values, values));
    for (Eigen::Index i = 0; i < values; ++i)
    {
        const Eigen::Index value = qr.colsPermutation().indices()(i);
        fit.errors[value] = std::sqrt(fit.variance) * inverse.row(i).norm() / norms(value);
    }
    const MatrixXd basis =
        qr.householderQ() * MatrixXd::Identity(jacobian.rows(), values); // of what values change
    for (Eigen::Index i = 0; i < jacobian.rows(); ++i)
    {
        const double leverage = basis.row(i).squaredNorm();
        fit.leftOut[i] = leverage > MOST_LEVERAGE
                             ? std::numeric_limits<double>::quiet_NaN()
                             : fit.predicted[i] * std::exp(errors(i) * leverage / (1 - leverage) /
                                                           residuals.GetWeight(i));
    }
}

/// @return the fit at a place, with errors of the linear model
ThroughputFit
DescribePlace(const RelativeErrors& residuals,
              const VectorXd& place,
              const ThroughputQuestion& question)
{
    ThroughputFit fit;
    fit.values = residuals.GetValues(place);
    fit.predicted = question.model(fit.values);
    VectorXd errors;
    residuals(place, errors);
    fit.deviance = errors.squaredNorm();
    const double spare = residuals.values() - residuals.inputs() - double(question.choices);
    fit.variance =
        std::max(fit.deviance / spare, question.errors.empty() ? LEAST_ERROR * LEAST_ERROR : 1.0);
    Judge(residuals, place, fit);
    return fit;
}

constexpr double MOST_ERROR = 0.5; // relative standard error of a cost that is told
constexpr double GAIN = 0.01;      // variances by which more cores have to be better
constexpr uint32_t PATIENCE = 2;   // numbers of cores that are worse, in a row

/// Costs that are fitted; others are 0.
enum class Which
{
    ALPHA,
    BETA,
    BOTH
};

/// The best fit over numbers of cores.
struct CoresFit
{
    ServerFit fit;      //!< what it tells
    double deviance{0}; //!< of the fit
    double variance{0}; //!< of an error
};

ServerCost
MakeCost(Which which, const std::vector<double>& values, uint32_t cores)
{
    ServerCost cost;
    cost.alpha = which == Which::BETA ? 0 : values.front();
    cost.beta = which == Which::ALPHA ? 0 : values.back();
    cost.cores = cores;
    return cost;
}

/// @return values to start from with one core
std::vector<double>
GetStart(const ServerQuestion& question, Which which)
{
    switch (which)
    {
    case Which::ALPHA:
        return {question.start.alpha};
    case Which::BETA:
        return {question.start.beta};
    default:
        return {question.start.alpha / 2, question.start.beta / 2};
    }
}

/// @return whether there are more points than numbers to find
bool
HasSparePoints(const ServerQuestion& question, std::size_t costs)
{
    return question.measured.size() > costs + (question.cores.size() > 1 ? 1 : 0);
}

CoresFit
FitCores(const ServerQuestion& question, Which which)
{
    const bool choosesCores = question.cores.size() > 1;
    ThroughputQuestion asked{question.measured,
                             question.errors,
                             GetStart(question, which),
                             choosesCores ? std::size_t{1} : std::size_t{0},
                             nullptr};
    ThroughputFit best;
    ServerFit told;
    told.cost.cores = 0; // none yet
    std::vector<std::pair<uint32_t, double>> deviances;
    uint32_t before = 1;
    uint32_t worse = 0;
    for (const uint32_t cores : question.cores)
    {
        for (double& value : asked.start) // as much work for each core
        {
            value *= static_cast<double>(cores) / before;
        }
        before = cores;
        asked.model = [&question, which, cores](const std::vector<double>& values) {
            return question.model(MakeCost(which, values, cores));
        };
        ThroughputFit fit = FitThroughput(asked);
        deviances.emplace_back(cores, fit.deviance);
        asked.start = fit.values;
        const bool better =
            told.cost.cores == 0 || fit.deviance < best.deviance - GAIN * best.variance;
        worse = better ? 0 : worse + 1;
        if (better)
        {
            told.cost = MakeCost(which, fit.values, cores);
            best = std::move(fit);
        }
        if (worse == PATIENCE)
        {
            break;
        }
    }
    for (const auto& [cores, deviance] : deviances)
    {
        if (deviance <= best.deviance + CHI_SQUARE * best.variance)
        {
            told.cores.push_back(cores);
        }
    }
    told.hasMore = choosesCores && told.cores.back() == question.cores.back();
    told.alphaError = which == Which::BETA ? 0 : told.cost.alpha * best.errors.front();
    told.betaError = which == Which::ALPHA ? 0 : told.cost.beta * best.errors.back();
    told.tellsAlpha = which != Which::BETA && best.errors.front() < MOST_ERROR;
    told.tellsBeta = which != Which::ALPHA && best.errors.back() < MOST_ERROR;
    told.predicted = std::move(best.predicted);
    told.leftOut = std::move(best.leftOut);
    return {std::move(told), best.deviance, best.variance};
}

} // namespace

ThroughputFit
FitThroughput(const ThroughputQuestion& question)
{
    RelativeErrors residuals(question);
    VectorXd place = VectorXd::Zero(residuals.inputs());
    Eigen::LevenbergMarquardt<RelativeErrors> search(residuals);
    search.parameters.maxfev = FIT_EVALUATIONS;
    search.parameters.factor = FIRST;
    search.parameters.ftol = ENOUGH;
    search.parameters.xtol = ENOUGH;
    search.minimize(place);

    // How far other minima may be: some standard errors of the linear model, within bounds.
    ThroughputFit fit = DescribePlace(residuals, place, question);
    VectorXd reach(place.size());
    for (Eigen::Index i = 0; i < place.size(); ++i)
    {
        reach(i) = std::clamp(REACH * fit.errors[i], LEAST_REACH, MOST_REACH);
    }
    const MinimumSearch minima(residuals, place, reach);
    fit = DescribePlace(residuals, minima.GetBest(), question);
    for (Eigen::Index i = 0; i < place.size(); ++i)
    {
        const double spread =
            minima.GetSpread(i, fit.deviance + CHI_SQUARE * fit.variance) / (2 * NORMAL);
        fit.errors[i] = std::max(fit.errors[i], spread);
    }
    return fit;
}

ServerFit
FitServer(const ServerQuestion& question)
{
    if (!HasSparePoints(question, 1))
    {
        const bool anyCores = question.cores.size() > 1;
        throw InputError("found " + Plural(question.measured.size(), "point") +
                         "; accepted: at least " + (anyCores ? "3" : "2") +
                         " to tell a cost and its error" +
                         (anyCores ? ", or 2 where the server's cores are known (--cores=N)" : ""));
    }
    ServerFit both;
    if (question.mayTellBoth && HasSparePoints(question, 2))
    {
        both = FitCores(question, Which::BOTH).fit;
        if (both.tellsAlpha && both.tellsBeta)
        {
            return both;
        }
    }
    std::vector<CoresFit> single;
    if (!both.tellsBeta)
    {
        single.push_back(FitCores(question, Which::ALPHA));
    }
    if (!both.tellsAlpha)
    {
        single.push_back(FitCores(question, Which::BETA));
    }
    if (single.size() > 1)
    {
        if (single[1].deviance < single[0].deviance)
        {
            std::swap(single[0], single[1]);
        }
        single[0].fit.either =
            single[1].deviance <= single[0].deviance + CHI_SQUARE * single[0].variance;
    }
    return single[0].fit;
}

} // namespace ns3::dml
