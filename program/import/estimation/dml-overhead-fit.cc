/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-fit.h"

#include "dml-stream-errors.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Windows that are tried in the interval of an estimate.
constexpr uint64_t WINDOWS_TRIED = 9;
/// Streams that are enough to fit to, and to choose a window to start from by.
constexpr std::size_t STREAMS_TO_FIT = 2000;
constexpr std::size_t STREAMS_TO_TRY = 500;
/// Fraction of the golden ratio, of whose multiples any number is spread evenly.
constexpr double GOLDEN_RATIO = 0.6180339887498949;
/// Estimates of the window, each with the rate fitted with the one before it.
constexpr int WINDOW_ROUNDS = 2;
/// Errors up to this many times the mean one are noise.
constexpr double NOISE_OF_ERROR = 5;
/// Mean errors up to this share of the times' resolution are none.
constexpr double NO_ERROR = 0.25;

/// @return number of streams whose last byte is known
std::size_t
CountKnown(const StreamGroup& group)
{
    return std::count_if(group.streams.begin(), group.streams.end(), [](const Stream& stream) {
        return !std::isnan(stream.lastByte);
    });
}

/// @return number of streams in @p groups
std::size_t
CountStreams(const std::vector<StreamGroup>& groups)
{
    std::size_t streams = 0;
    for (const StreamGroup& group : groups)
    {
        streams += group.streams.size();
    }
    return streams;
}

/**
 * @brief Choose groups that are spread evenly over all, at multiples of the golden ratio: those of
 * one worker are not preferred, as with every n-th group.
 * @param groups all
 * @param enough streams
 * @return all groups if they have no more streams than that, else the least that have as many
 */
std::vector<StreamGroup>
Sample(const std::vector<StreamGroup>& groups, std::size_t enough)
{
    if (CountStreams(groups) <= enough)
    {
        return groups;
    }
    std::set<std::size_t> places;
    std::size_t streams = 0;
    for (double at = 0; streams < enough; at = std::fmod(at + GOLDEN_RATIO, 1))
    {
        const auto place = static_cast<std::size_t>(at * static_cast<double>(groups.size()));
        streams += places.insert(place).second ? groups[place].streams.size() : 0;
    }
    std::vector<StreamGroup> sample;
    for (const std::size_t place : places)
    {
        sample.push_back(groups[place]);
    }
    return sample;
}

/// @return the groups that the fit is to use
std::vector<StreamGroup>
Select(std::vector<StreamGroup> groups)
{
    const auto uplinks =
        std::stable_partition(groups.begin(), groups.end(), [](const StreamGroup& group) {
            return group.downlink;
        });
    if (uplinks != groups.begin())
    {
        groups.erase(uplinks, groups.end());
    }
    return groups;
}

/**
 * @brief Find the window.
 * @param groups to fit to
 * @param[in,out] link gets the window to start the fit from, or NO_WINDOW
 * @param[in,out] free gets the range of windows to fit, if there is evidence of one
 * @return the estimate
 */
WindowEstimate
FindWindow(const std::vector<StreamGroup>& groups, LinkModel& link, LinkFitOptions& free)
{
    const std::vector<StreamGroup> some = Sample(groups, STREAMS_TO_TRY);
    WindowEstimate estimate;
    LinkModel fitted = link;
    LinkFitOptions quick = free;
    quick.intervals = false;
    for (int round = 0; round < WINDOW_ROUNDS; ++round)
    {
        fitted = FitLink(some, fitted, quick).link;
        estimate = EstimateWindow(groups, fitted);
        fitted.window = estimate.GetWindow();
        if (!estimate.upper)
        {
            return estimate;
        }
    }
    const uint64_t width = *estimate.upper - 1 - estimate.lower;
    double least = -1;
    for (uint64_t i = 0; i < WINDOWS_TRIED; ++i)
    {
        LinkModel tried = fitted;
        // Divided first: sizes may be anything.
        tried.window = estimate.lower + width / (WINDOWS_TRIED - 1) * i +
                       width % (WINDOWS_TRIED - 1) * i / (WINDOWS_TRIED - 1);
        const double loss = FitLink(some, tried, quick).loss;
        if (least < 0 || loss < least)
        {
            least = loss;
            link.window = tried.window;
        }
    }
    free.window = {estimate.lower, *estimate.upper - 1};
    return estimate;
}

/**
 * @param groups of both ends
 * @param end the machine whose link is shared
 * @param other the machine at its other end
 * @return number of groups during which another machine used the link of the same machine
 */
std::size_t
CountShared(const std::vector<StreamGroup>& groups,
            std::string StreamGroup::*end,
            std::string StreamGroup::*other)
{
    std::vector<const StreamGroup*> order;
    for (const StreamGroup& group : groups)
    {
        order.push_back(&group);
    }
    std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
        return std::tie(a->*end, a->origin) < std::tie(b->*end, b->origin);
    });
    std::size_t shared = 0;
    const StreamGroup* last = nullptr; // the one that ends last so far
    double lastEnd = 0;                // from its origin
    for (const StreamGroup* group : order)
    {
        const double groupEnd = group->GetLength();
        const bool same = last != nullptr && last->*end == group->*end;
        const double rest = same ? lastEnd - GetSecondsBetween(last->origin, group->origin) : 0;
        shared += rest > 0 && last->*other != group->*other ? 1 : 0;
        if (!same || groupEnd > rest)
        {
            last = group;
            lastEnd = groupEnd;
        }
    }
    return shared;
}

/**
 * @param groups records
 * @param error mean error of the model
 * @return mean time by which messages that the device would have parsed ended while it computed;
 * what may be noise does not count
 */
double
GetMeanInCompute(const std::vector<StreamGroup>& groups, double error)
{
    double sum = 0;
    for (const StreamGroup& group : groups)
    {
        for (const Stream& stream : group.streams)
        {
            sum += stream.inCompute > NOISE_OF_ERROR * error ? stream.inCompute : 0;
        }
    }
    return sum / static_cast<double>(CountStreams(groups));
}

/**
 * @param all groups
 * @param some of them, to fit the rate to
 * @param wire whether last bytes are known
 * @param parallel the model
 * @param rate of the link if it is known, bytes per second
 * @return the fit
 */
ModelFit
FitModel(const std::vector<StreamGroup>& all,
         const std::vector<StreamGroup>& some,
         bool wire,
         bool parallel,
         std::optional<double> rate)
{
    ModelFit fit;
    LinkModel link;
    link.rate = rate.value_or(0);
    link.parallel = parallel;
    LinkFitOptions free;
    free.rate = !rate;
    free.lastBytes = wire;
    ParsingFit parsing;
    if (wire)
    {
        parsing = FitParsing(all, parallel);
        link.alpha = parsing.alpha.value;
        link.beta = parsing.beta.value;
    }
    fit.window = FindWindow(some, link, free);
    static_cast<LinkFit&>(fit) = FitLink(some, link, free);
    if (wire)
    {
        static_cast<ParsingFit&>(fit) = parsing;
    }
    fit.loss += parallel ? 0 : GetMeanInCompute(wire ? all : some, fit.loss);
    return fit;
}

/// @return whether a device that computes and parses makes a difference to any stream
bool
DiffersByDevice(const std::vector<StreamGroup>& groups)
{
    return std::any_of(groups.begin(), groups.end(), [](const StreamGroup& group) {
        return std::any_of(group.streams.begin(), group.streams.end(), [](const Stream& stream) {
            return stream.deviceFree > stream.parserFree || stream.inCompute > 0;
        });
    });
}

/// Make intervals of @p model those of @p other, too.
void
Widen(ModelFit& model, const ModelFit& other)
{
    using Value = FittedValue ModelFit::*;
    for (const Value value : std::initializer_list<Value>{&ModelFit::secondsPerByte,
                                                          &ModelFit::alpha,
                                                          &ModelFit::beta,
                                                          &ModelFit::latency})
    {
        (model.*value).lower = std::min((model.*value).lower, (other.*value).lower);
        (model.*value).upper = std::max((model.*value).upper, (other.*value).upper);
    }
}

} // namespace

OverheadFit
FitOverhead(const std::vector<RecordedTransfer>& transfers,
            std::optional<double> rate,
            const RecordedDevice& device)
{
    OverheadFit fit;
    fit.groups = Select(GroupStreams(transfers));
    if (fit.groups.empty())
    {
        throw InputError("the trace has no recorded transfers; accepted: at least one");
    }
    SetParserTimes(fit.groups, device);
    std::vector<StreamGroup> known;
    for (const StreamGroup& group : fit.groups)
    {
        if (const std::size_t count = CountKnown(group); count > 0)
        {
            fit.wireTimes += count;
            known.push_back(group);
        }
    }
    const bool wire = !known.empty();
    const std::vector<StreamGroup> groups = Sample(wire ? known : fit.groups, STREAMS_TO_FIT);
    fit.fitted = groups.size();

    ModelFit& best = fit;
    best = FitModel(fit.groups, groups, wire, false, rate);
    if (DiffersByDevice(fit.groups))
    {
        ModelFit other = FitModel(fit.groups, groups, wire, true, rate);
        if (other.loss < best.loss)
        {
            std::swap(best, other);
        }
        // Of errors that are distributed as Laplace's distribution.
        const double none = NO_ERROR * GetResolution(fit.groups);
        fit.deviance = 2 * static_cast<double>(best.used) *
                       std::log(std::max(other.loss, none) / std::max(best.loss, none));
        if (fit.deviance < LEAST_DEVIANCE)
        {
            Widen(best, other);
        }
    }
    std::vector<double> sizes;
    for (const StreamGroup& group : fit.groups)
    {
        const std::vector<StreamTimes> times = PredictStreams(group, fit.link);
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            sizes.push_back(std::abs(times[i].end - group.streams[i].end));
        }
    }
    fit.medianResidual = GetQuantile(sizes, 0.5);
    fit.percentile95 = GetQuantile(sizes, 0.95);
    fit.error = ComputeEndTimeError(fit.groups, fit.link);
    fit.shared = std::max(CountShared(fit.groups, &StreamGroup::sender, &StreamGroup::receiver),
                          CountShared(fit.groups, &StreamGroup::receiver, &StreamGroup::sender));
    Judge(fit);
    return fit;
}

} // namespace ns3::dml
