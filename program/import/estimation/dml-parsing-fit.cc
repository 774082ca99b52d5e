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
#include <cmath>
#include <limits>

namespace ns3::dml
{

namespace
{

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
