/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-update-types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Removes @p start from @p text; @return whether it was there
bool
Skip(std::string_view& text, std::string_view start)
{
    const bool has = text.substr(0, start.size()) == start;
    text.remove_prefix(has ? start.size() : 0);
    return has;
}

/// Places of gradients, by type without "Resource" and "Sparse".
constexpr std::array<std::pair<std::string_view, uint32_t>, 18> GRADIENTS{{
    {"ApplyAdaMax", 8},
    {"ApplyAdadelta", 6},
    {"ApplyAdagrad", 3},
    {"ApplyAdagradDA", 3},
    {"ApplyAdagradV2", 4},
    {"ApplyAdam", 9},
    {"ApplyAdamWithAmsgrad", 10},
    {"ApplyAddSign", 6},
    {"ApplyCenteredRMSProp", 8},
    {"ApplyFtrl", 3},
    {"ApplyFtrlV2", 3},
    {"ApplyGradientDescent", 2},
    {"ApplyKerasMomentum", 3},
    {"ApplyMomentum", 3},
    {"ApplyPowerSign", 6},
    {"ApplyProximalAdagrad", 5},
    {"ApplyProximalGradientDescent", 4},
    {"ApplyRMSProp", 7},
}};

} // namespace

bool
IsTfUpdate(std::string_view type)
{
    Skip(type, "Resource");
    if (Skip(type, "Sparse"))
    {
        return Skip(type, "Apply");
    }
    return Skip(type, "Apply") || Skip(type, "Assign") || Skip(type, "Scatter");
}

uint32_t
GetTfGradientInput(std::string_view type)
{
    Skip(type, "Resource");
    Skip(type, "Sparse");
    const auto known = std::find_if(GRADIENTS.begin(), GRADIENTS.end(), [&](const auto& entry) {
        return entry.first == type;
    });
    if (known != GRADIENTS.end())
    {
        return known->second;
    }
    return Skip(type, "Assign") ? 1 : Skip(type, "Scatter") ? 2 : UINT32_MAX;
}

} // namespace ns3::dml
