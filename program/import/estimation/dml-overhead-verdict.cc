/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-fit.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>
#include <utility>

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

/// @return @p value with three digits, and a unit
std::string
Print(double value, const char* unit)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::setprecision(3) << value << unit;
    return text.str();
}

/// @return errors of predicted ends, or of last bytes that are known, relative to them; of early
/// ones relative to a part of their group's length
std::vector<double>
GetRelativeErrors(const OverheadFit& fit, bool lastBytes)
{
    std::vector<double> errors;
    for (const StreamGroup& group : fit.groups)
    {
        const std::vector<StreamTimes> times = PredictStreams(group, fit.link);
        double length = 0;
        for (const Stream& stream : group.streams)
        {
            length = std::max(length, stream.end);
        }
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            const Stream& stream = group.streams[i];
            const double recorded = lastBytes ? stream.lastByte : stream.end;
            if (recorded > 0)
            {
                errors.push_back(std::abs((lastBytes ? times[i].last : times[i].end) - recorded) /
                                 std::max(recorded, EARLY * length));
            }
        }
    }
    return errors;
}

/// @return why the model is not that of the records, or empty
std::string
FindMisfit(const OverheadFit& fit, bool lastBytes)
{
    const std::vector<double> errors = GetRelativeErrors(fit, lastBytes);
    const double median = GetQuantile(errors, 0.5);
    const double percentile95 = GetQuantile(errors, 0.95);
    if (median <= MOST_MEDIAN && percentile95 <= MOST_PERCENTILE95)
    {
        return "";
    }
    return std::string("the model does not explain the records: predicted ") +
           (lastBytes ? "last bytes" : "ends") + " are off by " + Print(100 * median, " %") +
           " in the median and " + Print(100 * percentile95, " %") +
           " in the 95th percentile (at most " + Print(100 * MOST_MEDIAN, " %") + " and " +
           Print(100 * MOST_PERCENTILE95, " %") + " are accepted)";
}

/// @return median size of the streams, bytes
double
GetMedianBytes(const OverheadFit& fit)
{
    std::vector<double> bytes;
    for (const StreamGroup& group : fit.groups)
    {
        for (const Stream& stream : group.streams)
        {
            bytes.push_back(static_cast<double>(stream.bytes));
        }
    }
    return GetQuantile(std::move(bytes), 0.5);
}

/// @return latencies that the bytes of the median group take on the wire; infinite without latency
double
GetWireLatencies(const OverheadFit& fit)
{
    std::vector<double> bytes;
    for (const StreamGroup& group : fit.groups)
    {
        double sum = 0;
        for (const Stream& stream : group.streams)
        {
            sum += static_cast<double>(stream.bytes);
        }
        bytes.push_back(sum);
    }
    return GetQuantile(std::move(bytes), 0.5) * fit.secondsPerByte.value / fit.latency.value;
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
    const bool wire = fit.wireTimes > 0;
    OverheadRefusals& refusals = fit.refusals;
    refusals = {};
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

    const double perByte = fit.alpha.value + fit.secondsPerByte.value;
    const double perMessage = fit.beta.value + perByte * GetMedianBytes(fit);
    const FittedValue& rate = fit.secondsPerByte;
    if (refusals.rate.empty() && !(rate.upper <= WIDEST_RATE * rate.lower))
    {
        refusals.rate = "the records tell too little of it; --rate gives it";
    }
    if (const double latencies = GetWireLatencies(fit);
        fit.secondsPerByte.fitted && refusals.rate.empty() && latencies < LEAST_LATENCIES)
    {
        refusals.rate =
            "the bytes of a step take " + Print(latencies, "") +
            " times the latency on the wire, so TCP's start, which is not in the model, "
            "decides as much as the rate; --rate gives it";
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
        refusals.parallel = "both models of parsing explain the records as well (the deviance is " +
                            Print(fit.deviance, "") + " apart)";
    }
}

} // namespace ns3::dml
