/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-congestion-choice.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return place of a congestion control among all, which gets it if it is new
uint32_t
PlaceControl(const std::optional<PluginSpec>& control, std::vector<PluginSpec>& all)
{
    if (!control)
    {
        return 0;
    }
    const auto found = std::find(all.begin(), all.end(), *control);
    const uint32_t place = found - all.begin();
    if (found == all.end())
    {
        all.push_back(*control);
    }
    return place;
}

} // namespace

CongestionChoice
ChooseCongestion(const NetworkSpec& spec, const std::vector<std::optional<PluginSpec>>& jobs)
{
    CongestionChoice choice;
    choice.controls.push_back(spec.tcp.GetControl());
    for (const auto& control : jobs)
    {
        choice.jobs.push_back(PlaceControl(control, choice.controls));
    }
    for (const auto& flow : spec.background)
    {
        choice.background.push_back(PlaceControl(flow.tcp, choice.controls));
    }
    return choice;
}

} // namespace ns3::dml
