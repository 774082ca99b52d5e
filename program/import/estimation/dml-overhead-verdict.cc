/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-fit.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Relative errors of predicted ends that a model may have which explains records.
constexpr double MOST_MEDIAN = 0.1;
constexpr double MOST_PERCENTILE95 = 0.5;
/// Ends up to this share of their group's length are early.
constexpr double EARLY = 0.1;
/// Upper over lower end of a rate's interval.
constexpr double WIDEST_RATE = 1.5;
/// Latencies that the bytes of a step take on the wire at least: with less, TCP's start, which is
/// not in the model, decides more than the rate.
constexpr double LEAST_LATENCIES = 10;
/// Width of the intervals of alpha and beta, as a share of the time of a byte and of a message.
constexpr double WIDEST_SHARE = 0.3;

/**
 * @brief Compare predicted ends, or last bytes that are known, with the recorded ones: relative to
 * these, of early ones to a part of their group's length.
 * @return why the model is not that of the records, or empty
 */
std::string
FindMisfit(const OverheadFit& fit, bool lastBytes)
{
    std::vector<double> errors;
    for (const StreamGroup& group : fit.groups)
    {
        const std::vector<StreamTimes> times = PredictStreams(group, fit.link);
        const double early = EARLY * group.GetLength();
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            const Stream& stream = group.streams[i];
            const double recorded = lastBytes ? stream.lastByte : stream.end;
            if (recorded > 0)
            {
                errors.push_back(std::abs((lastBytes ? times[i].last : times[i].end) - recorded) /
                                 std::max(recorded, early));
            }
        }
    }
    const double median = GetQuantile(errors, 0.5);
    const double percentile95 = GetQuantile(errors, 0.95);
    if (median <= MOST_MEDIAN && percentile95 <= MOST_PERCENTILE95)
    {
        return "";
    }
    return fmt::format(
        "the model does not explain the records: predicted {} are off by {:.3g} % in "
        "the median and {:.3g} % in the 95th percentile (at most {:.3g} % and {:.3g} "
        "% are accepted)",
        lastBytes ? "last bytes" : "ends",
        100 * median,
        100 * percentile95,
        100 * MOST_MEDIAN,
        100 * MOST_PERCENTILE95);
}

/// Say what was assumed, what the records cannot tell, and what looks wrong.
void
DescribeFit(OverheadFit& fit)
{
    const auto together = std::count_if(fit.groups.begin(),
                                        fit.groups.end(),
                                        [](const StreamGroup& group) { return group.together; });
    const std::size_t all = fit.groups.size();
    const bool given = !fit.secondsPerByte.fitted;
    fit.rules.push_back(fmt::format(
        "streams: {}, in groups of one connection and step",
        fit.groups.front().downlink ? "downlinks" : "uplinks, as there are no downlinks"));
    fit.rules.push_back(fmt::format(
        "requests: all of a group together in {} of {} groups{}, at recorded starts in the others",
        together,
        all,
        together > 0 ? " (recorded starts follow the ends before them, so they are no requests)"
                     : ""));
    fit.rules.push_back(
        std::string("parsing: ") +
        (fit.link.parallel
             ? "on a resource of its own (parallel: true)"
             : "on the receiver's device, between what it computes (parallel: false)") +
        (fit.deviance == 0 ? "; nothing that was computed makes a difference to these ends"
                           : fmt::format("; the deviance of the other model is {} more",
                                         std::llround(fit.deviance))));
    fit.rules.push_back(fit.wireTimes > 0
                            ? fmt::format("alpha, beta: line through end minus last byte ({} of {} "
                                          "streams with a known last byte){}",
                                          fit.used,
                                          fit.wireTimes,
                                          given ? "" : "; rate: by last bytes")
                            : fmt::format("alpha, beta{}: by the ends of {} streams",
                                          given ? "" : ", rate",
                                          fit.used));
    if (!fit.alphaNeeded)
    {
        fit.rules.emplace_back(
            "alpha cannot be told from 1 / rate: a rate alone explains the ends as "
            "well, so alpha is 0; give the rate or the times of last bytes");
    }
    if (fit.fitted < all)
    {
        fit.rules.push_back(fmt::format("rate, window: fitted to {} of {} groups that are spread "
                                        "evenly: more would be slow, not better",
                                        fit.fitted,
                                        all));
    }
    fit.rules.push_back(fit.window.GetText());
    if (fit.windowBytes.fitted)
    {
        fit.rules.push_back(fmt::format(
            "window: {} bytes, fitted within these together with the rate; 95 %: {} to {}",
            fit.link.window,
            std::llround(fit.windowBytes.lower),
            std::llround(fit.windowBytes.upper)));
    }
    if (fit.shared > 0)
    {
        fit.warnings.push_back(fmt::format("{} of {} groups overlap with another one on the same "
                                           "machine's link; the model is that of one connection "
                                           "alone",
                                           fit.shared,
                                           all));
    }
}

} // namespace

bool
OverheadFit::TellsAnything() const
{
    return (secondsPerByte.fitted && refusals.rate.empty()) ||
           (alpha.fitted && refusals.alpha.empty()) || (beta.fitted && refusals.beta.empty());
}

void
Judge(OverheadFit& fit)
{
    DescribeFit(fit);
    const bool wire = fit.wireTimes > 0;
    OverheadRefusals& refusals = fit.refusals;
    const std::string misfit = FindMisfit(fit, false);
    const std::string shared =
        fit.shared > 0 ? "others used the link at the same time, which the model does not have"
                       : "";
    // What follows the last byte, if that is known, has nothing to do with the link.
    refusals.alpha = refusals.beta = refusals.parallel = wire              ? ""
                                                         : !misfit.empty() ? misfit
                                                                           : shared;
    const std::string wireMisfit = wire ? FindMisfit(fit, true) : misfit;
    refusals.rate = !fit.secondsPerByte.fitted ? "" : !wireMisfit.empty() ? wireMisfit : shared;

    std::vector<double> messages; // bytes of each
    std::vector<double> groups;
    for (const StreamGroup& group : fit.groups)
    {
        groups.push_back(0);
        for (const Stream& stream : group.streams)
        {
            messages.push_back(static_cast<double>(stream.bytes));
            groups.back() += messages.back();
        }
    }
    const FittedValue& rate = fit.secondsPerByte;
    const double perByte = fit.alpha.value + rate.value;
    const double perMessage = fit.beta.value + perByte * GetQuantile(std::move(messages), 0.5);
    const double latencies = GetQuantile(std::move(groups), 0.5) * rate.value / fit.latency.value;
    if (refusals.rate.empty() && !(rate.upper <= WIDEST_RATE * rate.lower))
    {
        refusals.rate = "the records tell too little of it; --rate gives it";
    }
    if (rate.fitted && refusals.rate.empty() && latencies < LEAST_LATENCIES)
    {
        refusals.rate =
            fmt::format("the bytes of a step take {:.3g} times the latency on the wire, so "
                        "TCP's start, which is not in the model, decides as much as the "
                        "rate; --rate gives it",
                        latencies);
    }
    if (refusals.alpha.empty() && !(fit.alpha.upper - fit.alpha.lower <= WIDEST_SHARE * perByte))
    {
        refusals.alpha = std::string("the records tell too little of it; ") +
                         (wire || !rate.fitted ? "more steps may" : "--rate or --wire may");
    }
    if (refusals.beta.empty() && !(fit.beta.upper - fit.beta.lower <= WIDEST_SHARE * perMessage))
    {
        refusals.beta = std::string("the records tell too little of it; ") +
                        (wire ? "more steps may" : "--wire may");
    }
    if (refusals.parallel.empty() && fit.deviance < LEAST_DEVIANCE)
    {
        refusals.parallel = fmt::format("both models of parsing explain the records as well (the "
                                        "deviance is {:.3g} apart)",
                                        fit.deviance);
    }
}

} // namespace ns3::dml
