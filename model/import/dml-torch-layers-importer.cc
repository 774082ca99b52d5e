/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-layers-importer.h"

#include "dml-json-cursor.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

constexpr const char* SCHEMA = "torch-layer-profile/1";

/// Longest time accepted, in microseconds: the 1000000 s that a native profile may hold.
constexpr double MAX_US = 1e12;

/// Largest tensor accepted, in bytes: the 1 TiB that a native profile may hold.
constexpr uint64_t MAX_BYTES = uint64_t{1} << 40U;

constexpr double TICKS_PER_US = 1e4;

/// @return the microseconds at @p item, rounded to the nearest tick
Ticks
ReadTime(const JsonCursor& item)
{
    const double us = item.GetNumber();
    if (us < 0 || us > MAX_US)
    {
        item.Fail("found " + item.GetText() + "; accepted are microseconds from 0 to 1e12");
    }
    return std::llround(us * TICKS_PER_US);
}

/// Reads one file; remembers what must agree across it.
class TorchLayersReader
{
  public:
    /// @param root the file's outermost value
    explicit TorchLayersReader(const JsonCursor& root)
        : m_root(root)
    {
        if (!root.Has("schema") || root.Get("schema").GetString() != SCHEMA)
        {
            const std::string found =
                root.Has("schema") ? "found schema '" + root.Get("schema").GetString() + "'"
                                   : "no key 'schema', so this is no PyTorch layer profile";
            root.Fail(found + "; accepted is '" + SCHEMA + "'");
        }
        const JsonCursor meta = root.Get("meta");
        if (meta.Has("steps"))
        {
            m_steps = meta.Get("steps").GetUnsigned(1, UINT32_MAX);
        }
    }

    std::vector<LayerTimes> ReadLayers()
    {
        const JsonCursor list = m_root.Get("layers");
        std::vector<LayerTimes> layers;
        for (const JsonCursor& item : list.GetItems())
        {
            layers.push_back(ReadLayer(item, layers.size()));
        }
        if (layers.empty())
        {
            list.Fail("no layers; accepted is at least one");
        }
        return layers;
    }

    /// @return number of measured steps
    uint32_t GetSteps() const
    {
        return m_steps.value_or(0);
    }

  private:
    LayerTimes ReadLayer(const JsonCursor& item, uint32_t index)
    {
        LayerTimes layer;
        layer.name = item.Get("name").GetString();
        if (item.Has("index"))
        {
            item.Get("index").GetUnsigned(index, index);
        }
        for (const JsonCursor& input : item.Get("deps").GetItems())
        {
            if (index == 0)
            {
                input.Fail("the first layer depends on another; accepted are earlier layers only");
            }
            layer.inputs.push_back(input.GetUnsigned(0, index - 1));
        }
        layer.forward = ReadTimes(item.Get("fwd_us"));
        layer.backward = ReadTimes(item.Get("bwd_us"));
        layer.backwardEnd = ReadTimes(item.Get("bwd_end_us"));
        for (const JsonCursor& parameter : item.Get("params").GetItems())
        {
            layer.parameters.push_back(ReadParameter(parameter, layer.name));
        }
        return layer;
    }

    ParameterTimes ReadParameter(const JsonCursor& item, const std::string& layer)
    {
        ParameterTimes parameter;
        parameter.name = item.Get("name").GetString();
        const auto [owner, first] = m_owners.emplace(parameter.name, layer);
        if (!first)
        {
            item.Get("name").Fail("parameter '" + parameter.name +
                                  "' was already listed by layer '" + owner->second +
                                  "'; accepted are unique names");
        }
        parameter.bytes = item.Get("bytes").GetUnsigned(0, MAX_BYTES);
        parameter.ready = ReadTimes(item.Get("grad_ready_us"));
        parameter.accumulate = ReadTimes(item.Get("accum_us"));
        parameter.update = ReadTimes(item.Get("update_us"));
        return parameter;
    }

    /// @return the times in a list that must have one per step
    std::vector<Ticks> ReadTimes(const JsonCursor& list)
    {
        std::vector<Ticks> times;
        for (const JsonCursor& item : list.GetItems())
        {
            times.push_back(ReadTime(item));
        }
        if (!m_steps && !times.empty())
        {
            m_steps = times.size();
        }
        if (times.empty() || times.size() != *m_steps)
        {
            const std::string each =
                m_steps ? "of the " + std::to_string(*m_steps) + " steps" : "step";
            list.Fail("found " + std::to_string(times.size()) +
                      " values; accepted is one for each " + each);
        }
        return times;
    }

    JsonCursor m_root;                           //!< the file
    std::optional<uint32_t> m_steps;             //!< measured steps, once known
    std::map<std::string, std::string> m_owners; //!< layer of each parameter
};

/// Copies what is known about the measurement into Profile::source.
class SourceWriter
{
  public:
    /// @param meta the file's description of itself; @param profile where to add
    SourceWriter(const JsonCursor& meta, Profile& profile)
        : m_meta(meta),
          m_profile(profile)
    {
    }

    void Add(const std::string& key, const std::string& value)
    {
        m_profile.source.emplace_back(key, value);
    }

    /// Copy a scalar if the file has it.
    void Copy(const std::string& from, const std::string& key)
    {
        if (m_meta.Has(from))
        {
            Add(key, m_meta.Get(from).GetText());
        }
    }

    void AddFramework()
    {
        std::string text;
        for (const auto& [key, name] : {std::pair{"torch", "PyTorch"},
                                        std::pair{"torchvision", "torchvision"},
                                        std::pair{"python", "Python"}})
        {
            if (m_meta.Has(key))
            {
                text += (text.empty() ? "" : ", ") + std::string(name) + " " +
                        m_meta.Get(key).GetText();
            }
        }
        Add("framework", text.empty() ? "PyTorch" : text);
    }

    void AddClock()
    {
        if (m_meta.Has("clock") && m_meta.Get("clock").Has("hooked"))
        {
            Add("clock", m_meta.Get("clock").Get("hooked").GetText());
        }
    }

    /// Median of the steps that ran without instruments, in seconds; CPU time where it was taken.
    void AddPlainStep()
    {
        if (!m_meta.Has("step_wall_us"))
        {
            return;
        }
        const JsonCursor all = m_meta.Get("step_wall_us");
        const bool cpu = all.Has("plain_cpu");
        if (!cpu && !all.Has("plain"))
        {
            return;
        }
        std::vector<Ticks> steps;
        for (const JsonCursor& item : all.Get(cpu ? "plain_cpu" : "plain").GetItems())
        {
            steps.push_back(ReadTime(item));
        }
        if (!steps.empty())
        {
            std::sort(steps.begin(), steps.end());
            const Ticks twice = steps[(steps.size() - 1) / 2] + steps[steps.size() / 2];
            const Ticks us = std::llround(static_cast<double>(twice) / (2 * TICKS_PER_US));
            const std::string fraction = std::to_string(us % 1000000);
            Add("plain_step_seconds",
                std::to_string(us / 1000000) + "." + std::string(6 - fraction.size(), '0') +
                    fraction);
            Add("plain_step_clock", cpu ? "thread CPU time" : "wall");
        }
    }

  private:
    JsonCursor m_meta;  //!< the file's description of itself
    Profile& m_profile; //!< where to add
};

} // namespace

Profile
ImportTorchLayers(std::istream& input, const std::string& file, const TorchLayersOptions& options)
{
    const JsonCursor root = JsonCursor::Parse(input, file);
    TorchLayersReader reader(root);
    const auto layers = reader.ReadLayers();
    const JsonCursor meta = root.Get("meta");
    const std::string model = meta.Get("model").GetString();
    const auto batchSize = static_cast<uint32_t>(meta.Get("batch").GetUnsigned(1, UINT32_MAX));
    Profile profile;
    uint32_t agreeing = 0;
    try
    {
        LayerProfileBuilder builder(layers, options.order);
        profile = builder.Build(options.device);
        agreeing = builder.GetAgreeingSteps();
        profile.model = model;
        profile.batchSize = batchSize;
        profile.Validate();
    }
    catch (const InputError& error)
    {
        throw InputError(file + ": " + error.what());
    }
    SourceWriter source(meta, profile);
    source.AddFramework();
    source.Copy("source", "network");
    source.Copy("dtype", "dtype");
    source.Copy("cpu", "cpu");
    source.Copy("threads", "threads");
    source.Copy("blas", "blas");
    source.Copy("conv", "convolutions");
    source.Copy("optimizer", "optimizer");
    source.AddClock();
    source.Add("steps", std::to_string(reader.GetSteps()));
    source.AddPlainStep();
    source.Add("steps_in_backward_order", std::to_string(agreeing));
    source.Add("compute_order", options.order == ComputeOrder::MEASURED ? "measured" : "dataflow");
    source.Add("file", std::filesystem::path(file).filename().string());
    source.Add("imported_by", "dml import torch-layers");
    return profile;
}

Profile
ImportTorchLayers(const std::string& file, const TorchLayersOptions& options)
{
    std::ifstream input(file, std::ios::binary);
    if (!input || std::filesystem::is_directory(file))
    {
        throw InputError(file + ": cannot be read; accepted is a PyTorch layer profile (JSON)");
    }
    return ImportTorchLayers(input, file, options);
}

} // namespace dml
} // namespace ns3
