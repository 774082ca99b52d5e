/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-layer-profile.h"
#include "dml-pipedream-graph.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <optional>

namespace ns3::dml
{

namespace
{

/// A batch size, and the layer that tells it.
struct BatchSize
{
    uint32_t samples;  //!< per step
    std::string layer; //!< description of the layer
};

/// @return the batch size by the activation of a fully connected layer, if there is one
std::optional<BatchSize>
InferBatchSize(const std::vector<PipedreamNode>& nodes)
{
    constexpr std::string_view KEY = "out_features=";
    constexpr double FLOAT_BYTES = 4;
    for (const PipedreamNode& node : nodes)
    {
        const auto at = node.description.find(KEY);
        uint32_t features = 0;
        if (at == std::string::npos)
        {
            continue;
        }
        const char* const end = node.description.data() + node.description.size();
        std::from_chars(node.description.data() + at + KEY.size(), end, features);
        const double samples = node.activationBytes / (FLOAT_BYTES * std::max(features, 1U));
        if (features > 0 && samples >= 1 && samples <= UINT32_MAX && samples == std::floor(samples))
        {
            return BatchSize{static_cast<uint32_t>(samples), node.description};
        }
    }
    return {};
}

/// @return the first kind of layer that works on sequences, or an empty text
std::string
FindSequenceLayer(const std::vector<PipedreamNode>& nodes)
{
    for (const PipedreamNode& node : nodes)
    {
        for (const char* kind : {"LSTM", "GRU", "RNN", "Attention", "Embedding", "Transformer"})
        {
            if (node.description.find(kind) != std::string::npos)
            {
                return kind;
            }
        }
    }
    return "";
}

/// @return the layers of @p nodes without the input, each with one measured step
std::vector<LayerTimes>
MakeLayers(const std::vector<PipedreamNode>& nodes)
{
    std::vector<uint32_t> places(nodes.size(), 0);
    std::vector<LayerTimes> layers;
    for (std::size_t i = 0; i < nodes.size(); ++i)
    {
        const PipedreamNode& node = nodes[i];
        if (node.IsInput())
        {
            continue;
        }
        LayerTimes layer;
        layer.name = "node" + std::to_string(node.number) + "." +
                     node.description.substr(0, node.description.find('('));
        for (const uint32_t input : node.inputs)
        {
            if (!nodes[input].IsInput())
            {
                layer.inputs.push_back(places[input]);
            }
        }
        layer.forward = {node.forward};
        layer.backward = {node.backward};
        if (node.parameterBytes > 0)
        {
            layer.parameters.push_back({layer.name, node.parameterBytes, {}, {0}, {0}});
        }
        places[i] = layers.size();
        layers.push_back(std::move(layer));
    }
    Ticks end = 0;
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    {
        end += layer->backward.front();
        layer->backwardEnd = {end};
        for (ParameterTimes& parameter : layer->parameters)
        {
            parameter.ready = {end};
        }
    }
    return layers;
}

std::string
InferModel(const std::string& file)
{
    const std::filesystem::path path(file);
    std::string name = path.filename().string();
    name = name.substr(0, name.find('.'));
    return name == "graph" && path.has_parent_path() ? path.parent_path().filename().string()
                                                     : name;
}

/// @return @p ticks in milliseconds, as PipeDream writes times
std::string
FormatMs(Ticks ticks)
{
    return fmt::format("{:.3f} ms", ticks / TICKS_PER_SECOND * 1e3);
}

void
AddRules(const std::vector<PipedreamNode>& nodes,
         const std::vector<LayerTimes>& layers,
         ImportResult& result)
{
    Ticks input = 0;
    Ticks total = 0;
    std::size_t inputs = 0;
    for (const PipedreamNode& node : nodes)
    {
        inputs += node.IsInput() ? 1 : 0;
        (node.IsInput() ? input : total) += node.forward + node.backward;
    }
    const std::string tensors = Plural(result.profile.tensors.size(), "tensor");
    const std::string all =
        " (" + std::to_string(result.profile.tensors.size()) + " of " + tensors + ")";
    result.rules.push_back("input: " + std::to_string(inputs) + " node(s) left out, with " +
                           FormatMs(input) + " of loading data");
    result.rules.push_back(
        "order: forward by node number where dependencies allow, backward in the "
        "opposite order, without gaps (" +
        Plural(layers.size(), "layer") + ")");
    result.rules.push_back(
        "tensors: weight and bias of a layer are one tensor, as the file has only "
        "their sum (" +
        tensors + ")");
    result.rules.push_back("gradient ready: end of the layer's backward" + all);
    result.rules.push_back("update: no time, as the file does not tell" + all);
    result.replayCaveat = "the file has mean times of layers and none of a step; its layers take " +
                          FormatMs(total) + " together";
}

void
SetBatchSize(const std::vector<PipedreamNode>& nodes,
             const std::string& file,
             const ImportOptions& options,
             ImportResult& result)
{
    const auto inferred = InferBatchSize(nodes);
    if (!inferred && !options.batchSize)
    {
        throw InputError(file +
                         ": no layer Linear(out_features=N) tells the batch size; accepted is "
                         "one given by hand (--batch-size N)");
    }
    result.profile.batchSize = options.batchSize ? *options.batchSize : inferred->samples;
    if (!inferred)
    {
        return;
    }
    const std::string found = std::to_string(inferred->samples);
    if (result.profile.batchSize != inferred->samples)
    {
        result.warnings.push_back("batch size " + std::to_string(result.profile.batchSize) +
                                  " was given, but the activation of " + inferred->layer +
                                  " is that of " + found);
        return;
    }
    result.rules.push_back("batch size: " + found + ", by the activation of " + inferred->layer +
                           " in floats of 4 bytes");
    const std::string kind = FindSequenceLayer(nodes);
    if (!kind.empty() && !options.batchSize)
    {
        result.warnings.push_back("batch size " + found +
                                  " may be that times the length of a sequence, as the model has " +
                                  kind + " layers; --batch-size N gives the right one");
    }
}

/// Warn of a graph that has several ends: a file that was cut has lost its edges, which come last.
void
CheckEnds(const std::vector<LayerTimes>& layers, ImportResult& result)
{
    std::vector<bool> feeds(layers.size(), false);
    for (const LayerTimes& layer : layers)
    {
        for (const uint32_t input : layer.inputs)
        {
            feeds[input] = true;
        }
    }
    const auto ends = std::count(feeds.begin(), feeds.end(), false);
    if (ends > 1)
    {
        result.warnings.push_back(Plural(ends, "layer") +
                                  " feed no other, where a model has one such: the file may "
                                  "have been cut");
    }
}

} // namespace

ImportResult
ImportPipedream(const std::vector<std::string>& files, const ImportOptions& options)
{
    if (files.empty())
    {
        throw InputError("no file; accepted is at least one PipeDream graph");
    }
    ImportResult result;
    std::vector<PipedreamNode> nodes;
    std::vector<LayerTimes> layers;
    for (const std::string& file : files)
    {
        nodes = ReadPipedreamGraph(file, result.bytesRead);
        const std::vector<LayerTimes> more = MakeLayers(nodes);
        if (more.empty())
        {
            throw InputError(file + ": found only input nodes; accepted is at least one layer");
        }
        AppendSteps(layers, more, file);
    }
    const ComputeOrder order = options.order.value_or(ComputeOrder::DATAFLOW);
    result.profile = MakeLayerProfile(layers, order, options.device.value_or("gpu")).profile;
    result.profile.model = options.model.value_or(InferModel(files.front()));
    SetBatchSize(nodes, files.back(), options, result);
    AddRules(nodes, layers, result);
    CheckEnds(layers, result);
    result.profile.source = {
        {"framework", "PyTorch"},
        {"steps", std::to_string(files.size()) + " (means of many)"},
        {"compute_order", order == ComputeOrder::MEASURED ? "measured" : "dataflow"},
        {"file", std::filesystem::path(files.front()).filename().string()},
        {"imported_by", "dml import pipedream"}};
    result.profile.Validate();
    return result;
}

ImportFormat
PipedreamFormat()
{
    return {"pipedream",
            "a layer graph of PipeDream (graph.txt)",
            {"order", "device"},
            ImportPipedream,
            [](std::string_view head) {
                return SkipSpace(head).substr(0, 4) == "node" &&
                       head.find(" -- ") != std::string_view::npos;
            }};
}

} // namespace ns3::dml
