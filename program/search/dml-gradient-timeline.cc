/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gradient-timeline.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// What all steps say of a gradient.
struct GradientSum
{
    uint64_t bytes{0};                //!< size
    std::map<uint32_t, double> ready; //!< by step: when the last worker had it
    double seconds{0};                //!< sum over the steps and workers: how long reducing took
    uint32_t reduced{0};              //!< number of collectives, over steps and workers
};

/// Fit latency and seconds per byte.
void
FitSync(const std::vector<std::pair<double, double>>& points, GradientTimeline& timeline)
{
    double bytes = 0;
    double seconds = 0;
    for (const auto& [x, y] : points)
    {
        bytes += x / points.size();
        seconds += y / points.size();
    }
    double covariance = 0;
    double variance = 0;
    for (const auto& [x, y] : points)
    {
        covariance += (x - bytes) * (y - seconds);
        variance += (x - bytes) * (x - bytes);
    }
    timeline.secondsPerByte = variance > 0 ? std::max(0.0, covariance / variance) : 0;
    timeline.latency = std::max(0.0, seconds - timeline.secondsPerByte * bytes);
    double longest = 0;
    for (const auto& [x, y] : points)
    {
        timeline.error = std::max(timeline.error,
                                  std::abs(y - timeline.GetSyncSeconds(static_cast<uint64_t>(x))));
        longest = std::max(longest, y);
    }
    timeline.error = longest > 0 ? timeline.error / longest : 0;
}

} // namespace

double
GradientTimeline::GetEnd(const std::vector<std::size_t>& groups) const
{
    double end = 0;
    std::size_t first = 0;
    for (const std::size_t behind : groups)
    {
        uint64_t bytes = 0;
        for (std::size_t i = first; i < behind; ++i)
        {
            bytes += gradients[i].bytes;
        }
        end = std::max(end, gradients[behind - 1].ready) + GetSyncSeconds(bytes);
        first = behind;
    }
    return end;
}

GradientTimeline
MakeTimeline(const RecordedJob& job, const std::vector<std::string>& tensors)
{
    std::map<std::pair<uint32_t, uint32_t>, double> begins; // by worker and step
    for (const auto& step : job.steps)
    {
        begins[{step.worker, step.step}] = step.start;
    }
    std::map<uint32_t, GradientSum> sums; // by op of the job
    for (GlobalOp op = 0; op < job.graph.ops.size(); ++op)
    {
        const JobOp& known = job.graph.ops[op];
        const auto begin = begins.find({known.worker, known.step});
        if (known.name >= tensors.size() || tensors[known.name].empty() || begin == begins.end())
        {
            continue;
        }
        const auto& ran = job.execution.ops[op];
        if (known.kind == JobOpKind::COLLECTIVE)
        {
            GradientSum& sum = sums[known.name];
            sum.bytes = known.bytes;
            sum.seconds += ran.end - ran.start;
            ++sum.reduced;
        }
        else if (known.kind == JobOpKind::JOIN && ran.released != NO_GLOBAL_OP)
        {
            double& last = sums[known.name].ready[known.step];
            last = std::max(last, ran.ready - begin->second);
        }
    }
    GradientTimeline timeline;
    std::vector<std::pair<double, double>> points;
    for (const auto& [op, sum] : sums)
    {
        if (sum.reduced == 0)
        {
            continue;
        }
        double ready = 0;
        for (const auto& [step, time] : sum.ready)
        {
            ready += time;
        }
        ready = sum.ready.empty() ? 0 : ready / sum.ready.size();
        timeline.gradients.push_back({tensors[op], sum.bytes, ready});
        points.emplace_back(sum.bytes, sum.seconds / sum.reduced);
    }
    if (points.empty())
    {
        throw InputError("the run has no collectives; accepted: job.protocol: all-reduce");
    }
    std::stable_sort(
        timeline.gradients.begin(),
        timeline.gradients.end(),
        [](const TimedGradient& a, const TimedGradient& b) { return a.ready < b.ready; });
    FitSync(points, timeline);
    return timeline;
}

std::vector<std::size_t>
FuseByTheorem(const GradientTimeline& timeline)
{
    std::vector<std::size_t> groups;
    double before = 0;  // end of all groups before the last one
    uint64_t bytes = 0; // of the last group
    double end = 0;     // of the last group
    const auto& gradients = timeline.gradients;
    for (std::size_t i = 0; i < gradients.size(); ++i)
    {
        const double ready = gradients[i].ready;
        const uint64_t own = gradients[i].bytes;
        const bool joins = i > 0 && end > ready + timeline.GetSyncSeconds(bytes + own) -
                                              timeline.GetSyncSeconds(own);
        if (!joins)
        {
            if (i > 0)
            {
                groups.push_back(i);
                before = end;
            }
            bytes = 0;
        }
        bytes += own;
        end = std::max(before, ready) + timeline.GetSyncSeconds(bytes);
    }
    groups.push_back(gradients.size());
    return groups;
}

std::vector<std::size_t>
FuseOptimally(const GradientTimeline& timeline)
{
    const auto& gradients = timeline.gradients;

    struct Best
    {
        double end{std::numeric_limits<double>::infinity()}; //!< of the last group
        std::size_t groups{0};                               //!< how many
        std::size_t first{0};                                //!< of the last group
    };

    std::vector<Best> best(gradients.size() + 1); // by number of gradients
    best[0].end = 0;
    for (std::size_t behind = 1; behind <= gradients.size(); ++behind)
    {
        uint64_t bytes = 0;
        for (std::size_t first = behind; first-- > 0;)
        {
            bytes += gradients[first].bytes;
            const double end = std::max(best[first].end, gradients[behind - 1].ready) +
                               timeline.GetSyncSeconds(bytes);
            const std::size_t groups = best[first].groups + 1;
            if (std::tie(end, groups) < std::tie(best[behind].end, best[behind].groups))
            {
                best[behind] = {end, groups, first};
            }
        }
    }
    std::vector<std::size_t> groups;
    for (std::size_t behind = gradients.size(); behind > 0; behind = best[behind].first)
    {
        groups.push_back(behind);
    }
    std::reverse(groups.begin(), groups.end());
    return groups;
}

} // namespace ns3::dml
