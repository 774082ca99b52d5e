/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-end-time-error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ns3::dml
{

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
