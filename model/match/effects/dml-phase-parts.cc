/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-phase-parts.h"

#include <fmt/core.h>
#include <map>

namespace ns3::dml
{

EffectParts
DivideByNumber(const std::vector<uint32_t>& pulls,
               const std::vector<uint32_t>& pushes,
               const std::string& pullText,
               const std::string& pushText)
{
    using Class = std::pair<bool, std::pair<uint32_t, uint32_t>>; // pushes, fewest and most
    std::map<Class, std::size_t> places;
    for (const bool push : {false, true})
    {
        for (const uint32_t number : push ? pushes : pulls)
        {
            places[{push, ChooseCountClass(number)}];
        }
    }
    EffectParts parts;
    for (auto& [key, place] : places)
    {
        place = parts.names.size();
        const auto& [push, range] = key;
        const auto& [fewest, most] = range;
        parts.names.push_back(
            (push ? pushText : pullText) +
            (fewest == most ? std::to_string(most) : fmt::format("{}-{}", fewest, most)));
    }
    parts.find = [=](std::size_t step, const StepTransfer& transfer) {
        const bool push = !transfer.pull;
        return std::optional(
            places.at({push, ChooseCountClass(push ? pushes[step] : pulls[step])}));
    };
    return parts;
}

} // namespace ns3::dml
