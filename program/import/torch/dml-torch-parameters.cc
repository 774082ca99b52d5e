/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-limits.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace ns3::dml
{

namespace
{

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

/// Take the size of a parameter from an input of an event.
void
SetParameterSize(TorchRun& run,
                 TorchParameter& parameter,
                 uint32_t event,
                 std::size_t input,
                 const TorchStep& step)
{
    const TorchEvent& from = run.trace.events[event];
    parameter.shape = run.GetShape(from.dims, input);
    if (!parameter.shape)
    {
        return;
    }
    const std::string place = step.time.place + ": " + run.trace.GetName(from) + " (External id " +
                              std::to_string(from.id) + "): ";
    uint32_t size = TORCH_UNTYPED_BYTES;
    const auto types = from.types == TorchEvent::NONE
                           ? nlohmann::json()
                           : nlohmann::json::parse(run.trace.texts[from.types], nullptr, false);
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
        ++run.counts.untyped;
    }
    uint64_t bytes = size;
    for (const int64_t dimension : *parameter.shape)
    {
        if (dimension != 0 && bytes > importlimit::TENSOR_BYTES / dimension)
        {
            throw InputError(place + "found the input shape " + run.trace.texts[from.dims] +
                             "; accepted are tensors of at most 2^40 bytes");
        }
        bytes *= dimension;
    }
    parameter.bytes = bytes;
}

void
SetParameterNames(std::vector<TorchParameter>& parameters, const TorchStep& step)
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

/// Take sizes that are unknown yet from the inputs of forward ops.
void
SetForwardShapes(TorchRun& run, std::vector<TorchParameter>& parameters, const TorchStep& step)
{
    for (TorchParameter& parameter : parameters)
    {
        if (parameter.bytes || parameter.forward == TorchEvent::NONE)
        {
            continue;
        }
        const TorchPart& forward = step.parts[parameter.forward];
        const Inputs* const inputs = FindInputs(forward.op);
        if (inputs == nullptr || run.trace.events[forward.event].dims == TorchEvent::NONE)
        {
            continue;
        }
        const bool isBias = parameter.name.size() > 5 &&
                            parameter.name.compare(parameter.name.size() - 5, 5, ".bias") == 0;
        SetParameterSize(run,
                         parameter,
                         forward.event,
                         isBias ? inputs->bias : inputs->weight,
                         step);
        run.counts.forward += parameter.bytes ? 1 : 0;
    }
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

std::vector<TorchParameter>
FindTorchParameters(TorchRun& run, const TorchStep& step)
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
        ++run.counts.parameters;
        run.counts.owned += parameter.forward != TorchEvent::NONE ? 1 : 0;
        const uint32_t event = run.FindAccumulate(step.parts[p].event);
        if (event != TorchEvent::NONE)
        {
            SetParameterSize(run, parameter, event, 0, step);
            run.counts.accumulate += parameter.bytes ? 1 : 0;
        }
        parameters.push_back(parameter);
    }
    std::stable_sort(parameters.begin(), parameters.end(), [](const auto& a, const auto& b) {
        return a.forward < b.forward;
    });
    SetParameterNames(parameters, step);
    SetForwardShapes(run, parameters, step);
    return parameters;
}

} // namespace ns3::dml
