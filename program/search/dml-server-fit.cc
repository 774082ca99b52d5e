/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-server-fit.h"

#include "dml-throughput-fit.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <optional>
#include <string>

namespace ns3::dml
{

namespace
{

constexpr double CHI_SQUARE = 3.84; // 95 % of it, one degree of freedom
constexpr double MOST_ERROR = 0.5;  // relative standard error of a cost that is told
constexpr double GAIN = 0.01;       // variances by which more cores have to be better
constexpr uint32_t PATIENCE = 2;    // numbers of cores that are worse, in a row

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
    ThroughputFit fit;           //!< with the best number
    uint32_t best{0};            //!< number of cores
    std::vector<uint32_t> alike; //!< numbers that do about as well
    bool open{false};            //!< the search ended because there were no more numbers
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

/// @return whether each cost is more than twice its standard error
bool
TellsAll(const ThroughputFit& fit)
{
    return std::all_of(fit.errors.begin(), fit.errors.end(), [](double error) {
        return error < MOST_ERROR;
    });
}

CoresFit
FitCores(const ServerQuestion& question, Which which)
{
    CoresFit result;
    ThroughputQuestion asked{question.measured,
                             question.errors,
                             GetStart(question, which),
                             question.cores.size() > 1 ? std::size_t{1} : std::size_t{0},
                             nullptr};
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
            result.best == 0 || fit.deviance < result.fit.deviance - GAIN * result.fit.variance;
        worse = better ? 0 : worse + 1;
        if (better)
        {
            result.best = cores;
            result.fit = std::move(fit);
        }
        if (worse == PATIENCE)
        {
            break;
        }
    }
    const double most = result.fit.deviance + CHI_SQUARE * result.fit.variance;
    for (const auto& [cores, deviance] : deviances)
    {
        if (deviance <= most)
        {
            result.alike.push_back(cores);
        }
    }
    result.open = question.cores.size() > 1 && result.alike.back() == question.cores.back();
    return result;
}

ServerFit
MakeFit(const CoresFit& found, Which which)
{
    ServerFit fit;
    const ThroughputFit& best = found.fit;
    fit.cost = MakeCost(which, best.values, found.best);
    fit.alphaError = which == Which::BETA ? 0 : fit.cost.alpha * best.errors.front();
    fit.betaError = which == Which::ALPHA ? 0 : fit.cost.beta * best.errors.back();
    fit.tellsAlpha = which != Which::BETA && best.errors.front() < MOST_ERROR;
    fit.tellsBeta = which != Which::ALPHA && best.errors.back() < MOST_ERROR;
    fit.cores = found.alike;
    fit.hasMore = found.open;
    fit.predicted = best.predicted;
    fit.leftOut = best.leftOut;
    return fit;
}

/// @param both the fit of both costs, if there are points for it @return that of one
ServerFit
FitOne(const ServerQuestion& question, const std::optional<CoresFit>& both)
{
    const bool alphaAlone = both && both->fit.errors.front() < MOST_ERROR;
    const bool betaAlone = both && both->fit.errors.back() < MOST_ERROR;
    std::optional<CoresFit> alpha;
    std::optional<CoresFit> beta;
    if (!betaAlone)
    {
        alpha = FitCores(question, Which::ALPHA);
    }
    if (!alphaAlone)
    {
        beta = FitCores(question, Which::BETA);
    }
    const bool takesAlpha = !beta || (alpha && alpha->fit.deviance <= beta->fit.deviance);
    const CoresFit& best = takesAlpha ? *alpha : *beta;
    ServerFit fit = MakeFit(best, takesAlpha ? Which::ALPHA : Which::BETA);
    const CoresFit* other = takesAlpha ? (beta ? &*beta : nullptr) : (alpha ? &*alpha : nullptr);
    fit.either = other && other->fit.deviance <= best.fit.deviance + CHI_SQUARE * best.fit.variance;
    return fit;
}

} // namespace

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
    std::optional<CoresFit> both;
    if (question.mayTellBoth && HasSparePoints(question, 2))
    {
        both = FitCores(question, Which::BOTH);
        if (TellsAll(both->fit))
        {
            return MakeFit(*both, Which::BOTH);
        }
    }
    return FitOne(question, both);
}

} // namespace ns3::dml
