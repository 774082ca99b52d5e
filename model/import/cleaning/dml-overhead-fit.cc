/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-fit.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Latency is fitted if there are this many groups: only their first streams tell of it.
constexpr std::size_t LEAST_GROUPS = 3;
/// Windows that are tried in the interval of an estimate.
constexpr uint64_t WINDOWS_TRIED = 9;
/// Streams that are enough to fit to, and to choose a window to start from by.
constexpr std::size_t STREAMS_TO_FIT = 2000;
constexpr std::size_t STREAMS_TO_TRY = 500;
/// Fraction of the golden ratio, of whose multiples any number is spread evenly.
constexpr double GOLDEN_RATIO = 0.6180339887498949;
/// Estimates of the window, each with the rate fitted with the one before it.
constexpr int ROUNDS = 2;

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

/// @return those of @p groups that have a stream whose last byte is known
std::vector<StreamGroup>
SelectKnown(const std::vector<StreamGroup>& groups)
{
    std::vector<StreamGroup> known;
    std::copy_if(groups.begin(),
                 groups.end(),
                 std::back_inserter(known),
                 [](const StreamGroup& group) { return CountKnown(group) > 0; });
    return known;
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
    for (int round = 0; round < ROUNDS; ++round)
    {
        fitted = FitLink(some, fitted, free).link;
        estimate = EstimateWindow(groups, fitted);
        fitted.window = estimate.GetWindow();
        if (!estimate.upper)
        {
            link.window = LinkModel::NO_WINDOW;
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
        const double loss = FitLink(some, tried, free).loss;
        if (least < 0 || loss < least)
        {
            least = loss;
            link.window = tried.window;
        }
    }
    free.window = {estimate.lower, *estimate.upper - 1};
    return estimate;
}

/// @return number of groups during which another worker used the same server's link
std::size_t
CountShared(const std::vector<StreamGroup>& groups)
{
    const auto getServer = [](const StreamGroup* group) -> const std::string& {
        return group->downlink ? group->sender : group->receiver;
    };
    const auto getWorker = [](const StreamGroup* group) -> const std::string& {
        return group->downlink ? group->receiver : group->sender;
    };
    std::vector<const StreamGroup*> order;
    for (const StreamGroup& group : groups)
    {
        order.push_back(&group);
    }
    std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
        return std::tie(getServer(a), a->origin) < std::tie(getServer(b), b->origin);
    });
    std::size_t shared = 0;
    const StreamGroup* last = nullptr; // the one that ends last so far
    double lastEnd = 0;                // from its origin
    for (const StreamGroup* group : order)
    {
        double end = 0;
        for (const Stream& stream : group->streams)
        {
            end = std::max(end, stream.end);
        }
        const bool sameServer = last != nullptr && getServer(last) == getServer(group);
        const double rest =
            sameServer ? lastEnd - GetSecondsBetween(last->origin, group->origin) : 0;
        shared += rest > 0 && getWorker(last) != getWorker(group) ? 1 : 0;
        if (!sameServer || end > rest)
        {
            last = group;
            lastEnd = end;
        }
    }
    return shared;
}

/// @return how far predicted ends are from recorded ones, in seconds
std::vector<double>
GetEndErrors(const std::vector<StreamGroup>& groups, const LinkModel& link)
{
    std::vector<double> errors;
    for (const StreamGroup& group : groups)
    {
        const std::vector<StreamTimes> times = PredictStreams(group, link);
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            errors.push_back(std::abs(times[i].end - group.streams[i].end));
        }
    }
    return errors;
}

/// Say what was assumed of the groups of @p fit, and what they cannot tell.
void
AddRules(const OverheadFitOptions& options, OverheadFit& fit)
{
    const auto together = std::count_if(fit.groups.begin(),
                                        fit.groups.end(),
                                        [](const StreamGroup& group) { return group.together; });
    const std::string all = std::to_string(fit.groups.size());
    fit.rules.push_back(
        std::string("streams: ") +
        (fit.groups.front().downlink ? "downlinks" : "uplinks, as there are no downlinks") +
        ", in groups of one connection and step");
    fit.rules.push_back(
        "requests: all of a group together in " + std::to_string(together) + " of " + all +
        " groups" +
        (options.starts == StreamStart::AUTO && together > 0
             ? " (recorded starts follow the ends before them, so they are no requests)"
             : "") +
        ", at recorded starts in the others");
    fit.rules.push_back(
        fit.wireTimes > 0
            ? "alpha, beta: line through end minus last byte (" + std::to_string(fit.used) +
                  " of " + std::to_string(fit.wireTimes) + " streams with a known last byte)" +
                  (options.rate ? "" : "; rate: by last bytes")
            : "alpha, beta" + std::string(options.rate ? "" : ", rate") + ": by the ends of " +
                  std::to_string(fit.used) + " streams");
    if (!fit.latency.fitted)
    {
        fit.rules.push_back(
            "latency from request to first byte: taken as 0, as there are fewer than " +
            std::to_string(LEAST_GROUPS) + " groups");
    }
    if (!fit.alphaNeeded)
    {
        fit.rules.emplace_back(
            "alpha cannot be told from 1 / rate: a rate alone explains the ends as "
            "well, so alpha is 0; give the rate or the times of last bytes");
    }
    if (fit.fitted < fit.groups.size())
    {
        fit.rules.push_back("rate, window: fitted to " + std::to_string(fit.fitted) + " of " + all +
                            " groups that are spread evenly: more would be slow, not better");
    }
    if (fit.window)
    {
        fit.rules.push_back(fit.window->GetText());
    }
    if (fit.windowBytes.fitted)
    {
        fit.rules.push_back("window: " + std::to_string(fit.link.window) +
                            " bytes, fitted within these together with the rate; standard error " +
                            (std::isfinite(fit.windowBytes.error)
                                 ? std::to_string(std::llround(fit.windowBytes.error)) + " bytes"
                                 : "unknown"));
    }
}

} // namespace

OverheadFit
FitOverhead(const std::vector<RecordedTransfer>& transfers, const OverheadFitOptions& options)
{
    OverheadFit fit;
    fit.groups = Select(GroupStreams(transfers, options.starts));
    if (fit.groups.empty())
    {
        throw InputError("the trace has no recorded transfers; accepted: at least one");
    }
    for (const StreamGroup& group : fit.groups)
    {
        fit.wireTimes += CountKnown(group);
    }
    const std::vector<StreamGroup> groups =
        Sample(fit.wireTimes > 0 ? SelectKnown(fit.groups) : fit.groups, STREAMS_TO_FIT);
    fit.fitted = groups.size();

    LinkModel link;
    link.rate = options.rate.value_or(0);
    link.window = options.window.value_or(LinkModel::NO_WINDOW);
    link.parallel = options.parallel;
    link.rule = options.rule;
    LinkFitOptions free;
    free.rate = !options.rate;
    free.latency = groups.size() >= LEAST_GROUPS;
    std::pair<FittedValue, FittedValue> parsing;
    if (fit.wireTimes > 0)
    {
        parsing = FitParsing(fit.groups, options.parallel, fit.used);
        link.alpha = parsing.first.value;
        link.beta = parsing.second.value;
        free.alpha = free.beta = false;
        free.lastBytes = true;
    }
    if (!options.window)
    {
        fit.window = FindWindow(groups, link, free);
    }

    const LinkFit rest = FitLink(groups, link, free);
    fit.link = rest.link;
    fit.latency = rest.latency;
    fit.secondsPerByte = rest.secondsPerByte;
    fit.windowBytes = rest.window;
    fit.alphaNeeded = rest.alphaNeeded;
    fit.alpha = fit.wireTimes > 0 ? parsing.first : rest.alpha;
    fit.beta = fit.wireTimes > 0 ? parsing.second : rest.beta;
    fit.used = fit.wireTimes > 0 ? fit.used : rest.used;
    const std::vector<double> sizes = GetEndErrors(fit.groups, fit.link);
    fit.medianResidual = GetQuantile(sizes, 0.5);
    fit.percentile95 = GetQuantile(sizes, 0.95);
    fit.error = ComputeEndTimeError(fit.groups, fit.link);
    AddRules(options, fit);
    if (const std::size_t shared = CountShared(fit.groups); shared > 0)
    {
        fit.warnings.push_back(
            std::to_string(shared) + " of " + std::to_string(fit.groups.size()) +
            " groups overlap with another worker's on the same server's link; "
            "the model is that of one worker alone, so its numbers are doubtful");
    }
    return fit;
}

} // namespace dml
} // namespace ns3
