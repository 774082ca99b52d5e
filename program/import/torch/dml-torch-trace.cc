/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-trace.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// Times of older profilers are whole microseconds: a part may seem to start after its whole ended.
constexpr int64_t ROUNDING = 1000;

} // namespace

void
TorchTrace::Nest()
{
    // Ids grow in the order in which events start; where there are none, the file has that order.
    std::stable_sort(events.begin(), events.end(), [](const TorchEvent& a, const TorchEvent& b) {
        return std::make_tuple(a.thread, a.start, -a.end, a.id) <
               std::make_tuple(b.thread, b.start, -b.end, b.id);
    });
    std::stable_sort(launches.begin(), launches.end(), [](const auto& a, const auto& b) {
        return std::tie(a.thread, a.start) < std::tie(b.thread, b.start);
    });
    std::stable_sort(allocations.begin(), allocations.end(), [](const auto& a, const auto& b) {
        return a.time < b.time;
    });
    uint32_t open = TorchEvent::NONE;
    uint32_t evaluation = TorchEvent::NONE; // last one, until its node has been seen
    for (uint32_t i = 0; i < events.size(); ++i)
    {
        TorchEvent& event = events[i];
        if (open != TorchEvent::NONE && events[open].thread != event.thread)
        {
            open = TorchEvent::NONE;
            evaluation = TorchEvent::NONE;
        }
        const std::string& name = GetName(event);
        const bool evaluates = StartsWith(name, torchnames::EVALUATE);
        const bool isNode = evaluation != TorchEvent::NONE &&
                            GetTorchNode(GetName(events[evaluation])) == name &&
                            event.start - events[evaluation].end <= ROUNDING;
        if (isNode)
        {
            open = evaluation;
            evaluation = TorchEvent::NONE;
        }
        const bool instant = event.start == event.end && !evaluates;
        while (!isNode && open != TorchEvent::NONE &&
               (events[open].end < event.start || (events[open].end == event.start && !instant)))
        {
            open = events[open].parent;
        }
        event.parent = open;
        open = i;
        evaluation = evaluates ? i : evaluation;
    }
}

uint32_t
GetTorchElementSize(std::string_view type)
{
    static constexpr std::array<std::pair<std::string_view, uint32_t>, 24> SIZES{
        {{"float", 4},
         {"double", 8},
         {"c10::Half", 2},
         {"c10::BFloat16", 2},
         {"long int", 8},
         {"int", 4},
         {"short int", 2},
         {"signed char", 1},
         {"unsigned char", 1},
         {"bool", 1},
         {"long", 8},
         {"Float", 4},
         {"Double", 8},
         {"Half", 2},
         {"BFloat16", 2},
         {"Long", 8},
         {"Int", 4},
         {"Short", 2},
         {"Char", 1},
         {"Byte", 1},
         {"Bool", 1},
         {"c10::Float8_e4m3fn", 1},
         {"c10::complex<float>", 8},
         {"c10::complex<double>", 16}}};
    const auto* const found = std::find_if(SIZES.begin(), SIZES.end(), [type](const auto& entry) {
        return entry.first == type;
    });
    return found == SIZES.end() ? 0 : found->second;
}

} // namespace ns3::dml
