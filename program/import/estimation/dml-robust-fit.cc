/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-robust-fit.h"

#include "dml-stream-model.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <nlopt.hpp>

namespace ns3::dml
{

namespace
{

/// Of a normal distribution: standard deviation / median absolute deviation.
constexpr double DEVIATION_PER_MAD = 1.4826;
/// Scale of a loss that is the residuals' size nearly everywhere.
constexpr double LEAST_LOSS_SCALE = 1e-6;
constexpr int MAX_EVALUATIONS = 400;
constexpr double TOLERANCE = 1e-7;
/// Gauss-Newton steps at most, and how often each is halved at most.
constexpr int MAX_STEPS = 20;
constexpr int MAX_HALVES = 10;
/// A step that gains less than this share of the loss is the last one.
constexpr double LEAST_GAIN = 1e-10;

/// @return numbers that a step may change: not those that it would push over a bound
std::vector<Eigen::Index>
FindFree(const RobustProblem& problem,
         const Eigen::VectorXd& x,
         const Eigen::VectorXd& gradient,
         Eigen::Index fixed)
{
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < x.size(); ++i)
    {
        const bool stuck = (x[i] <= problem.least[i] && gradient[i] >= 0) ||
                           (x[i] >= problem.most[i] && gradient[i] <= 0);
        if (i != fixed && !stuck)
        {
            free.push_back(i);
        }
    }
    return free;
}

} // namespace

Eigen::VectorXd
RobustProblem::GetScores(const Eigen::VectorXd& values) const
{
    const double bend = HUBER * std::max(scale, LEAST_LOSS_SCALE);
    const double tail = GetTail();
    return values.unaryExpr([=](double value) {
        const double size = std::abs(value);
        return std::clamp(value, -bend, bend) * (size > tail ? tail / size : 1);
    });
}

double
RobustProblem::GetLoss(const Eigen::VectorXd& values) const
{
    const double bend = HUBER * scale;
    const double tail = GetTail();
    double sum = 0;
    for (const double value : values)
    {
        const double size = std::abs(value);
        sum += size < bend   ? size * size / (2 * bend)
               : size < tail ? size - bend / 2
                             : tail - bend / 2 + tail * std::log(size / tail);
    }
    return sum;
}

Eigen::MatrixXd
RobustProblem::GetJacobian(const Eigen::VectorXd& x, const Eigen::VectorXd& values) const
{
    Eigen::MatrixXd jacobian(values.size(), x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i)
    {
        // forward, because 0 is a bound, unless the other bound is in the way
        Eigen::VectorXd moved = x;
        moved[i] += std::max(1e-4 * std::max(std::abs(x[i]), 0.1), steps[i]);
        if (moved[i] > most[i])
        {
            moved[i] = std::max(least[i], 2 * x[i] - moved[i]);
        }
        const double step = moved[i] - x[i];
        if (step == 0)
        {
            jacobian.col(i).setZero();
        }
        else
        {
            jacobian.col(i) = (residuals(moved) - values) / step;
        }
    }
    return jacobian;
}

double
GetRobustScale(const Eigen::VectorXd& values)
{
    const Eigen::VectorXd sizes = values.cwiseAbs();
    return DEVIATION_PER_MAD * GetQuantile({sizes.data(), sizes.data() + sizes.size()}, 0.5);
}

double
PolishFit(const RobustProblem& problem, Eigen::VectorXd& x, Eigen::Index fixed)
{
    Eigen::VectorXd values = problem.residuals(x);
    double loss = problem.GetLoss(values);
    for (int i = 0; i < MAX_STEPS; ++i)
    {
        const Eigen::MatrixXd jacobian = problem.GetJacobian(x, values);
        const Eigen::VectorXd scores = problem.GetScores(values);
        const Eigen::VectorXd weights = values.binaryExpr(scores, [](double value, double score) {
            return value != 0 ? score / value : 1;
        });
        const std::vector<Eigen::Index> free =
            FindFree(problem, x, jacobian.transpose() * scores, fixed);
        if (free.empty())
        {
            break;
        }
        Eigen::MatrixXd columns(values.size(), static_cast<Eigen::Index>(free.size()));
        for (std::size_t k = 0; k < free.size(); ++k)
        {
            columns.col(static_cast<Eigen::Index>(k)) = jacobian.col(free[k]);
        }
        const Eigen::VectorXd roots = weights.cwiseSqrt();
        Eigen::VectorXd step = (roots.asDiagonal() * columns)
                                   .completeOrthogonalDecomposition()
                                   .solve(-roots.cwiseProduct(values));
        bool better = false;
        double gain = 0;
        for (int half = 0; half < MAX_HALVES && !better; ++half, step /= 2)
        {
            Eigen::VectorXd tried = x;
            for (std::size_t k = 0; k < free.size(); ++k)
            {
                const Eigen::Index place = free[k];
                tried[place] = std::clamp(x[place] + step[static_cast<Eigen::Index>(k)],
                                          problem.least[place],
                                          problem.most[place]);
            }
            const Eigen::VectorXd next = problem.residuals(tried);
            const double nextLoss = problem.GetLoss(next);
            if (nextLoss < loss)
            {
                better = true;
                gain = loss - nextLoss;
                x = tried;
                values = next;
                loss = nextLoss;
            }
        }
        if (!better || gain < LEAST_GAIN * loss)
        {
            break;
        }
    }
    return loss;
}

double
SearchFit(const RobustProblem& problem, Eigen::VectorXd& x)
{
    const auto size = static_cast<std::size_t>(x.size());
    if (size == 0)
    {
        return problem.GetLoss(problem.residuals(x));
    }
    std::function<double(const std::vector<double>&)> loss = [&problem,
                                                              size](const std::vector<double>& at) {
        return problem.GetLoss(
            problem.residuals(Eigen::Map<const Eigen::VectorXd>(at.data(), size)));
    };
    const auto toVector = [size](const Eigen::VectorXd& from) {
        return std::vector<double>(from.data(), from.data() + size);
    };
    nlopt::opt search(nlopt::LN_SBPLX, size);
    search.set_min_objective([](const std::vector<double>& at,
                                std::vector<double>&,
                                void* data) { return (*static_cast<decltype(loss)*>(data))(at); },
                             &loss);
    search.set_lower_bounds(toVector(problem.least));
    search.set_upper_bounds(toVector(problem.most));
    search.set_initial_step(0.1);
    search.set_xtol_rel(TOLERANCE);
    search.set_maxeval(MAX_EVALUATIONS);
    std::vector<double> found = toVector(x);
    double least = 0;
    try
    {
        search.optimize(found, least);
    }
    catch (const nlopt::roundoff_limited&)
    {
        // as good as rounding allows
    }
    x = Eigen::Map<const Eigen::VectorXd>(found.data(), size);
    return PolishFit(problem, x);
}

} // namespace ns3::dml
