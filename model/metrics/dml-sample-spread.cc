/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sample-spread.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <numeric>
#include <set>

namespace ns3::dml
{

namespace
{

/// Of the median of the steps behind; measured steps of one kind differ by less.
constexpr double SLOW = 1.25;

/// Of the mean, above which its standard error is told.
constexpr double WORTH_TELLING = 0.1;

/// @param seconds of steps @param first of those that count @return their median
double
FindMedian(const std::vector<double>& seconds, std::size_t first)
{
    std::vector<double> values(seconds.begin() + first, seconds.end());
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

std::vector<double>
AddUpSamples(const Profile& profile)
{
    std::vector<double> seconds(profile.GetSampleCount(), 0);
    for (const std::vector<double>& samples : profile.samples)
    {
        for (std::size_t step = 0; step < samples.size(); ++step)
        {
            seconds[step] += samples[step];
        }
    }
    return seconds;
}

std::vector<double>
FindSlowFirst(const std::vector<double>& seconds)
{
    const std::size_t size = seconds.size();
    for (std::size_t count = size < 3 ? 0 : std::min(size / 2, size - 2); count > 0; --count)
    {
        const double median = FindMedian(seconds, count);
        const bool areSlow = std::all_of(seconds.begin(),
                                         seconds.begin() + count,
                                         [median](double step) { return step > SLOW * median; });
        if (areSlow && median > 0)
        {
            std::vector<double> slow(seconds.begin(), seconds.begin() + count);
            std::for_each(slow.begin(), slow.end(), [median](double& step) { step /= median; });
            return slow;
        }
    }
    return {};
}

std::string
DescribeSpread(const std::vector<double>& seconds)
{
    if (seconds.size() < 2)
    {
        return {};
    }
    const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / seconds.size();
    double squares = 0;
    for (const double step : seconds)
    {
        squares += (step - mean) * (step - mean);
    }
    const double error = std::sqrt(squares / (seconds.size() - 1) / seconds.size());
    const std::vector<double> slow = FindSlowFirst(seconds);
    if (slow.empty() && error <= WORTH_TELLING * mean)
    {
        return {};
    }
    const auto [least, largest] = std::minmax_element(seconds.begin(), seconds.end());
    std::string text =
        fmt::format("the {} profiled steps take {:.4g} to {:.4g} ms, added up over their ops, "
                    "{:.4g} +- {:.2g} ms on average (standard error): throughputs are known no "
                    "better",
                    seconds.size(),
                    1e3 * *least,
                    1e3 * *largest,
                    1e3 * mean,
                    1e3 * error);
    if (!slow.empty())
    {
        const bool one = slow.size() == 1;
        text += fmt::format("; the first {} {:.3g} times the median of the others, as warm-up "
                            "does: import without {} (--skip {}), or list others in job.sampling",
                            one ? "lasts" : fmt::format("{} last", slow.size()),
                            fmt::join(slow, ", "),
                            one ? "it" : "them",
                            slow.size());
    }
    return text;
}

std::string
DescribeSpread(const Profile& profile, const std::vector<std::vector<uint32_t>>& lists)
{
    std::set<uint32_t> listed;
    for (const std::vector<uint32_t>& list : lists)
    {
        listed.insert(list.begin(), list.end());
    }
    const std::vector<double> all = AddUpSamples(profile);
    std::vector<double> seconds;
    for (const uint32_t step : listed)
    {
        seconds.push_back(all.at(step));
    }
    return DescribeSpread(listed.empty() ? all : seconds);
}

} // namespace ns3::dml
