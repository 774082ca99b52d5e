/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stream-model.h"

#include "ns3/dml-error.h"
#include "ns3/dml-http2-window-policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace ns3::dml
{

namespace
{

/// Turns of a group at most: more of them are a window that does not fit the streams.
constexpr double MAX_TURNS = 1e7;

/// @throws InputError unless @p value is finite and at least 0, or above 0 if @p positive
void
CheckNumber(const char* name, double value, bool positive)
{
    if (!std::isfinite(value) || value < 0 || (positive && value == 0))
    {
        throw InputError(std::string(name) + ": found " + std::to_string(value) +
                         "; accepted: a number " + (positive ? "above 0" : "of at least 0"));
    }
}

/// @throws InputError if a number of @p link is out of its range, or turns are too many
void
Check(const StreamGroup& group, const LinkModel& link)
{
    CheckNumber("latency", link.latency, false);
    CheckNumber("rate", link.rate, true);
    CheckNumber("alpha", link.alpha, false);
    CheckNumber("beta", link.beta, false);
    double turns = link.window > 0 ? 0 : MAX_TURNS + 1;
    if (link.window > 0 && link.rule == StreamWindowModel::Rule::EVERY_WINDOW)
    {
        for (const Stream& stream : group.streams)
        {
            turns += static_cast<double>(stream.bytes / link.window);
        }
    }
    if (turns > MAX_TURNS)
    {
        throw InputError("window: found " + std::to_string(link.window) +
                         " bytes; accepted: at least 1, and at most 10^7 turns in a step");
    }
}

} // namespace

std::vector<StreamTimes>
PredictStreams(const StreamGroup& group, const LinkModel& link)
{
    Check(group, link);
    const auto& streams = group.streams;
    const auto policy = CreateObject<Http2WindowPolicy>();
    const StreamWindowModel windows(link.rule, link.window);
    std::vector<StreamTimes> times(streams.size(), {-1, 0, 0});
    std::size_t arrived = 0;
    const auto addUntil = [&](double time) {
        for (; arrived < streams.size() && streams[arrived].request + link.latency <= time;
             ++arrived)
        {
            policy->Add(arrived, streams[arrived].bytes);
        }
    };

    double now = 0;
    double parserFree = 0;
    while (arrived < streams.size() || policy->GetSize() > 0)
    {
        if (policy->GetSize() == 0)
        {
            now = std::max(now, streams[arrived].request + link.latency);
        }
        addUntil(now);
        const Turn turn = policy->Next(windows);
        StreamTimes& current = times[turn.transfer];
        if (current.first < 0)
        {
            current.first = now;
        }
        now += static_cast<double>(turn.bytes) / link.rate;
        addUntil(now); // they queue before the rest of this stream does
        if (policy->TurnEnded())
        {
            const Stream& stream = streams[turn.transfer];
            current.last = now + stream.late;
            const double start = std::max(
                {current.last, parserFree, link.parallel ? stream.parserFree : stream.deviceFree});
            current.end = start + link.alpha * static_cast<double>(stream.bytes) + link.beta;
            parserFree = current.end;
        }
    }
    return times;
}

double
GetQuantile(std::vector<double> values, double fraction)
{
    if (values.empty())
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const double place = fraction * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    std::nth_element(values.begin(), values.begin() + below, values.end());
    const double low = values[below];
    if (below + 1 == values.size())
    {
        return low;
    }
    const double high = *std::min_element(values.begin() + below + 1, values.end());
    return low + (place - static_cast<double>(below)) * (high - low);
}

EndTimeError
ComputeEndTimeError(const std::vector<StreamGroup>& groups, const LinkModel& link)
{
    std::vector<double> errors;
    for (const StreamGroup& group : groups)
    {
        if (!group.downlink)
        {
            continue;
        }
        const std::vector<StreamTimes> times = PredictStreams(group, link);
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            const double recorded = group.streams[i].end;
            if (recorded > 0)
            {
                errors.push_back(std::abs(times[i].end - recorded) / recorded);
            }
        }
    }
    EndTimeError result;
    result.streams = errors.size();
    result.average =
        std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    result.median = GetQuantile(errors, 0.5);
    result.percentile95 = GetQuantile(errors, 0.95);
    result.maximum = GetQuantile(errors, 1);
    return result;
}

} // namespace ns3::dml
