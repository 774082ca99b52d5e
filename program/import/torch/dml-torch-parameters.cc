/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-parameters.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-limits.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

namespace ns3::dml
{

namespace
{

/// Bytes of an element where the trace does not tell its type.
constexpr uint32_t FLOAT_BYTES = 4;

/// Where a kind of op takes its parameters, as its schema in PyTorch's native_functions.yaml says.
struct Inputs
{
    std::string_view op; //!< start of its name
    std::size_t weight;  //!< place of the weight
    std::size_t bias;    //!< place of the bias
    std::size_t
        samples; //!< place of the input whose first dimension counts samples, or TorchEvent::NONE
};

constexpr std::array<Inputs, 13> INPUTS{
    {{"conv", 1, 2, 0},
     {"linear", 1, 2, 0},
     {"batch_norm", 1, 2, 0},
     {"instance_norm", 1, 2, 0},
     {"layer_norm", 2, 3, 0},
     {"group_norm", 2, 3, 0},
     {"embedding_bag", 0, 0, TorchEvent::NONE}, // bags, not samples
     {"embedding", 0, 0, 1},
     {"addmm", 2, 0, 1},
     {"matmul", 1, 1, 0},
     {"mm", 1, 1, 0},
     {"prelu", 1, 1, 0},
     {"bilinear", 2, 3, 0}}};

/// @return where the op called @p name takes its parameters, or null
const Inputs*
FindInputs(std::string_view name)
{
    const auto* const inputs =
        std::find_if(INPUTS.begin(), INPUTS.end(), [name](const Inputs& candidate) {
            return StartsWith(name, candidate.op);
        });
    return inputs == INPUTS.end() ? nullptr : inputs;
}

} // namespace

std::optional<std::size_t>
FindTorchSamples(std::string_view op)
{
    const Inputs* const inputs = FindInputs(op);
    return inputs == nullptr || inputs->samples == TorchEvent::NONE
               ? std::nullopt
               : std::make_optional(inputs->samples);
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

TorchParameterFinder::TorchParameterFinder(const TorchTrace& trace, const TorchStepAnatomy& anatomy)
    : m_trace(trace),
      m_anatomy(anatomy)
{
}

std::optional<TorchShape>
TorchParameterFinder::GetShape(uint32_t text, std::size_t input)
{
    if (text == TorchEvent::NONE)
    {
        return std::nullopt;
    }
    auto shapes = m_shapes.find(text);
    if (shapes == m_shapes.end())
    {
        shapes = m_shapes.emplace(text, ParseTorchShapes(m_trace.texts[text])).first;
    }
    return input < shapes->second.size() ? shapes->second[input] : std::nullopt;
}

uint32_t
TorchParameterFinder::FindShapes(uint32_t outer) const
{
    for (uint32_t i = outer; i < m_trace.events.size() && m_anatomy.GetOuter(i) == outer; ++i)
    {
        const TorchEvent& event = m_trace.events[i];
        if (m_trace.GetName(event) == torchnames::ACCUMULATE && event.dims != TorchEvent::NONE)
        {
            return i;
        }
    }
    return TorchEvent::NONE;
}

std::vector<TorchParameter>
TorchParameterFinder::Find(const TorchStep& step)
{
    std::vector<TorchParameter> parameters;
    for (uint32_t p = 0; p < step.parts.size(); ++p)
    {
        if (step.parts[p].work != TorchWork::ACCUMULATE)
        {
            continue;
        }
        TorchParameter parameter;
        parameter.accumulate = p;
        parameter.forward = step.parts[p].forward;
        ++m_counts.parameters;
        m_counts.owned += parameter.forward != TorchEvent::NONE ? 1 : 0;
        const uint32_t event = FindShapes(step.parts[p].event);
        if (event != TorchEvent::NONE)
        {
            SetSize(parameter, event, 0, step);
            m_counts.accumulate += parameter.bytes ? 1 : 0;
        }
        parameters.push_back(parameter);
    }
    std::stable_sort(parameters.begin(), parameters.end(), [](const auto& a, const auto& b) {
        return a.forward < b.forward;
    });
    SetNames(parameters, step);
    SetForwardShapes(parameters, step);
    return parameters;
}

void
TorchParameterFinder::SetSize(TorchParameter& parameter,
                              uint32_t event,
                              std::size_t input,
                              const TorchStep& step)
{
    const TorchEvent& from = m_trace.events[event];
    parameter.shape = GetShape(from.dims, input);
    if (!parameter.shape)
    {
        return;
    }
    const std::string place = step.time.place + ": " + m_trace.GetName(from) + " (External id " +
                              std::to_string(from.id) + "): ";
    uint32_t size = FLOAT_BYTES;
    const auto types = from.types == TorchEvent::NONE
                           ? nlohmann::json()
                           : nlohmann::json::parse(m_trace.texts[from.types], nullptr, false);
    if (types.is_array() && input < types.size() && types[input].is_string())
    {
        const auto type = types[input].get<std::string>();
        size = GetTorchElementSize(type);
        if (size == 0)
        {
            throw InputError(place + "found the input type '" + type +
                             "'; accepted are float, double, c10::Half, c10::BFloat16 and other "
                             "types of PyTorch");
        }
    }
    else
    {
        ++m_counts.untyped;
    }
    uint64_t bytes = size;
    for (const int64_t dimension : *parameter.shape)
    {
        if (dimension != 0 && bytes > importlimit::TENSOR_BYTES / dimension)
        {
            throw InputError(place + "found the input shape " + m_trace.texts[from.dims] +
                             "; accepted are tensors of at most 2^40 bytes");
        }
        bytes *= dimension;
    }
    parameter.bytes = bytes;
}

void
TorchParameterFinder::SetNames(std::vector<TorchParameter>& parameters, const TorchStep& step)
{
    std::set<std::string> taken;
    for (std::size_t first = 0; first < parameters.size();)
    {
        std::size_t end = first;
        bool hasMatrix = false;
        for (; end < parameters.size() && parameters[end].forward == parameters[first].forward;
             ++end)
        {
            const auto& parameter = parameters[end];
            hasMatrix |= parameter.shape && parameter.shape->size() >= 2;
            hasMatrix |= GetTorchNodeKey(step.parts[parameter.accumulate].node) == "t";
        }
        bool hasWeight = hasMatrix;
        for (std::size_t i = first; i < end; ++i)
        {
            TorchParameter& parameter = parameters[i];
            const std::string& node = step.parts[parameter.accumulate].node;
            bool isWeight = !hasWeight;
            if (parameter.shape && hasMatrix)
            {
                isWeight = parameter.shape->size() >= 2;
            }
            else if (GetTorchNodeKey(node) == "addmm" || GetTorchNodeKey(node) == "t")
            {
                isWeight = GetTorchNodeKey(node) == "t";
            }
            hasWeight |= isWeight;
            const std::string base =
                parameter.forward == TorchEvent::NONE
                    ? "parameter"
                    : step.parts[parameter.forward].op + (isWeight ? ".weight" : ".bias");
            parameter.name = base;
            for (uint32_t n = 2; !taken.insert(parameter.name).second; ++n)
            {
                parameter.name = base + "_" + std::to_string(n);
            }
        }
        // A weight is listed before its bias, as in PyTorch's modules.
        std::stable_sort(parameters.begin() + first,
                         parameters.begin() + end,
                         [](const auto& a, const auto& b) {
                             const auto isBias = [](const auto& parameter) {
                                 return parameter.name.find(".bias") != std::string::npos;
                             };
                             return isBias(a) < isBias(b);
                         });
        first = end;
    }
}

void
TorchParameterFinder::SetForwardShapes(std::vector<TorchParameter>& parameters,
                                       const TorchStep& step)
{
    for (TorchParameter& parameter : parameters)
    {
        if (parameter.bytes || parameter.forward == TorchEvent::NONE)
        {
            continue;
        }
        const TorchPart& forward = step.parts[parameter.forward];
        const Inputs* const inputs = FindInputs(forward.op);
        if (inputs == nullptr || m_trace.events[forward.event].dims == TorchEvent::NONE)
        {
            continue;
        }
        const bool isBias = parameter.name.size() > 5 &&
                            parameter.name.compare(parameter.name.size() - 5, 5, ".bias") == 0;
        SetSize(parameter, forward.event, isBias ? inputs->bias : inputs->weight, step);
        m_counts.forward += parameter.bytes ? 1 : 0;
    }
}

} // namespace ns3::dml
