/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-fit.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3::dml
{

void
DescribeFit(OverheadFit& fit)
{
    const auto together = std::count_if(fit.groups.begin(),
                                        fit.groups.end(),
                                        [](const StreamGroup& group) { return group.together; });
    const std::string all = std::to_string(fit.groups.size());
    const bool given = !fit.secondsPerByte.fitted;
    fit.rules.push_back(
        std::string("streams: ") +
        (fit.groups.front().downlink ? "downlinks" : "uplinks, as there are no downlinks") +
        ", in groups of one connection and step");
    fit.rules.push_back(
        "requests: all of a group together in " + std::to_string(together) + " of " + all +
        " groups" +
        (together > 0 ? " (recorded starts follow the ends before them, so they are no requests)"
                      : "") +
        ", at recorded starts in the others");
    fit.rules.push_back(
        std::string("parsing: ") +
        (fit.link.parallel
             ? "on a resource of its own (parallel: true)"
             : "on the receiver's device, between what it computes (parallel: false)") +
        (fit.deviance == 0 ? "; nothing that was computed makes a difference to these ends"
                           : "; the deviance of the other model is " +
                                 std::to_string(std::llround(fit.deviance)) + " more"));
    fit.rules.push_back(
        fit.wireTimes > 0
            ? "alpha, beta: line through end minus last byte (" + std::to_string(fit.used) +
                  " of " + std::to_string(fit.wireTimes) + " streams with a known last byte)" +
                  (given ? "" : "; rate: by last bytes")
            : "alpha, beta" + std::string(given ? "" : ", rate") + ": by the ends of " +
                  std::to_string(fit.used) + " streams");
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
    fit.rules.push_back(fit.window.GetText());
    if (fit.windowBytes.fitted)
    {
        fit.rules.push_back("window: " + std::to_string(fit.link.window) +
                            " bytes, fitted within these together with the rate; 95 %: " +
                            std::to_string(std::llround(fit.windowBytes.lower)) + " to " +
                            std::to_string(std::llround(fit.windowBytes.upper)));
    }
    if (fit.shared > 0)
    {
        fit.warnings.push_back(std::to_string(fit.shared) + " of " + all +
                               " groups overlap with another one on the same machine's link; "
                               "the model is that of one connection alone");
    }
}

} // namespace ns3::dml
