/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ns3::dml
{

TorchRun::TorchRun(const TorchTrace& recorded)
    : trace(recorded),
      outer(recorded.events.size(), TorchEvent::NONE)
{
    sequences = std::any_of(trace.events.begin(), trace.events.end(), [](const auto& event) {
        return event.backward && event.sequence >= 0;
    });
    std::map<std::string, uint64_t> kernels; // by GPU
    for (const TorchKernel& kernel : trace.kernels)
    {
        ++kernels[trace.texts[kernel.device]];
    }
    const auto most =
        std::max_element(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    gpu = most == kernels.end() ? "" : most->first;
}

std::optional<TorchShape>
TorchRun::GetShape(uint32_t text, std::size_t input)
{
    if (text == TorchEvent::NONE)
    {
        return std::nullopt;
    }
    auto known = shapes.find(text);
    if (known == shapes.end())
    {
        known = shapes.emplace(text, ParseTorchShapes(trace.texts[text])).first;
    }
    return input < known->second.size() ? known->second[input] : std::nullopt;
}

uint32_t
TorchRun::FindAccumulate(uint32_t event) const
{
    for (uint32_t i = event; i < outer.size() && outer[i] == event; ++i)
    {
        if (trace.GetName(trace.events[i]) == torchnames::ACCUMULATE &&
            trace.events[i].dims != TorchEvent::NONE)
        {
            return i;
        }
    }
    return TorchEvent::NONE;
}

std::vector<std::optional<TorchShape>>
ParseTorchShapes(const std::string& text)
{
    std::vector<std::optional<TorchShape>> shapes;
    const auto list = nlohmann::json::parse(text, nullptr, false);
    if (!list.is_array())
    {
        return shapes;
    }
    for (const auto& item : list)
    {
        std::optional<TorchShape> shape;
        const bool numbers =
            item.is_array() && std::all_of(item.begin(), item.end(), [](const auto& dimension) {
                return dimension.is_number_unsigned() &&
                       dimension.template get<uint64_t>() <= INT64_MAX;
            });
        if (numbers)
        {
            shape = item.get<TorchShape>();
        }
        shapes.push_back(shape);
    }
    return shapes;
}

} // namespace ns3::dml
