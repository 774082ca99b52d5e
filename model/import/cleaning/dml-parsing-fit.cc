/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-fit.h"

#include "ns3/dml-error.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ns3
{
namespace dml
{

namespace
{

/// Huber's constant: 95 % efficient with normal noise.
constexpr double HUBER = 1.345;
/// Of a normal distribution: standard deviation / median absolute deviation.
constexpr double DEVIATION_PER_MAD = 1.4826;
/// Least deviation in seconds, so that exact data are no division by zero.
constexpr double LEAST_DEVIATION = 1e-9;
constexpr int ITERATIONS = 50;

/// Overheads and the sizes that they belong to.
struct Overheads
{
    std::vector<double> bytes;   //!< sizes
    std::vector<double> seconds; //!< last byte (or parser free) to end
};

/// @return the overhead of each stream whose last byte is known
Overheads
GetOverheads(const std::vector<StreamGroup>& groups, bool parallel)
{
    Overheads overheads;
    for (const StreamGroup& group : groups)
    {
        std::vector<const Stream*> known;
        std::vector<double> otherEnds; // they free the parser as well
        for (const Stream& stream : group.streams)
        {
            if (!std::isnan(stream.lastByte))
            {
                known.push_back(&stream);
            }
            else
            {
                otherEnds.push_back(stream.end);
            }
        }
        std::sort(otherEnds.begin(), otherEnds.end());
        std::stable_sort(known.begin(), known.end(), [](const Stream* a, const Stream* b) {
            return a->lastByte < b->lastByte;
        });
        double free = -std::numeric_limits<double>::infinity();
        for (const Stream* stream : known)
        {
            // The parser takes one after the other, so what ended earlier was parsed before.
            const auto other = std::upper_bound(otherEnds.begin(), otherEnds.end(), stream->end);
            if (other != otherEnds.begin())
            {
                free = std::max(free, *std::prev(other));
            }
            const double start = parallel ? stream->lastByte : std::max(stream->lastByte, free);
            overheads.bytes.push_back(static_cast<double>(stream->bytes));
            overheads.seconds.push_back(stream->end - start);
            free = std::max(free, stream->end);
        }
    }
    return overheads;
}

/// @return weighted least squares of @p y on the columns of @p x, none below 0
Eigen::Vector2d
SolveNonNegative(const Eigen::MatrixX2d& x,
                 const Eigen::VectorXd& y,
                 const Eigen::VectorXd& weights)
{
    const Eigen::Matrix2d normal = x.transpose() * weights.asDiagonal() * x;
    const Eigen::Vector2d right = x.transpose() * weights.cwiseProduct(y);
    const Eigen::FullPivLU<Eigen::Matrix2d> lu(normal);
    Eigen::Vector2d both(-1, -1);
    if (lu.isInvertible())
    {
        both = lu.solve(right);
    }
    if (both.minCoeff() >= 0)
    {
        return both;
    }
    // The best is on an edge of the quadrant: each number alone.
    Eigen::Vector2d best(0, 0);
    double bestGain = 0;
    for (int i = 1; i >= 0; --i)
    {
        const double alone = normal(i, i) > 0 ? std::max(0.0, right[i] / normal(i, i)) : 0;
        const double gain = alone * (2 * right[i] - normal(i, i) * alone);
        if (gain > bestGain)
        {
            bestGain = gain;
            best = Eigen::Vector2d::Unit(i) * alone;
        }
    }
    return best;
}

} // namespace

std::pair<FittedValue, FittedValue>
FitParsing(const std::vector<StreamGroup>& groups, bool parallel, std::size_t& used)
{
    const Overheads overheads = GetOverheads(groups, parallel);
    used = overheads.bytes.size();
    if (used < 2)
    {
        throw InputError("found " + std::to_string(used) +
                         " transfers whose last byte is known; accepted: at least 2");
    }
    const auto size = static_cast<Eigen::Index>(used);
    const double unit =
        std::max(1.0, *std::max_element(overheads.bytes.begin(), overheads.bytes.end()));
    Eigen::MatrixX2d x(size, 2);
    x.col(0) = Eigen::Map<const Eigen::VectorXd>(overheads.bytes.data(), size) / unit;
    x.col(1).setOnes();
    const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(overheads.seconds.data(), size);

    Eigen::VectorXd weights = Eigen::VectorXd::Ones(size);
    Eigen::Vector2d line(0, 0);
    Eigen::VectorXd residuals;
    for (int i = 0; i < ITERATIONS; ++i)
    {
        const Eigen::Vector2d before = line;
        line = SolveNonNegative(x, y, weights);
        residuals = y - x * line;
        std::vector<double> sizes(used);
        Eigen::Map<Eigen::VectorXd>(sizes.data(), size) = residuals.cwiseAbs();
        const double deviation =
            std::max(LEAST_DEVIATION, DEVIATION_PER_MAD * GetQuantile(sizes, 0.5));
        weights = (HUBER * deviation / residuals.cwiseAbs().array().max(1e-300)).min(1.0).matrix();
        if (i > 0 && (line - before).cwiseAbs().maxCoeff() <= 1e-12 * line.maxCoeff())
        {
            break;
        }
    }

    FittedValue alpha{line[0] / unit, std::numeric_limits<double>::infinity(), true};
    FittedValue beta{line[1], std::numeric_limits<double>::infinity(), true};
    const Eigen::FullPivLU<Eigen::Matrix2d> lu(x.transpose() * weights.asDiagonal() * x);
    if (size > 2 && lu.isInvertible())
    {
        const Eigen::Matrix2d covariance = lu.inverse() *
                                           residuals.dot(weights.cwiseProduct(residuals)) /
                                           static_cast<double>(size - 2);
        alpha.error = std::sqrt(std::max(0.0, covariance(0, 0))) / unit;
        beta.error = std::sqrt(std::max(0.0, covariance(1, 1)));
    }
    return {alpha, beta};
}

} // namespace dml
} // namespace ns3
