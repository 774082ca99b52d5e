/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-layer-profile-builder.h"
#include "dml-layer-samples.h"
#include "dml-torch-layers-file.h"

#include "ns3/dml-importers.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <optional>
#include <sstream>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Largest file, in bytes: layers of large models take some hundred kilobytes.
constexpr uint64_t MAX_FILE = uint64_t{64} << 20U;

/// @return twice the median of @p times, of which there is at least one
double
MedianTwice(std::vector<Ticks> times)
{
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[(times.size() - 1) / 2] + times[times.size() / 2]);
}

/// @return seconds of applying all gradients in one step
double
SumUpdates(const std::vector<LayerTimes>& layers, std::size_t step)
{
    double sum = 0;
    for (const LayerTimes& layer : layers)
    {
        for (const ParameterTimes& parameter : layer.parameters)
        {
            sum += parameter.update[step] / TICKS_PER_SECOND;
        }
    }
    return sum;
}

/// @return seconds of the forward and the backward pass in one step
double
SumCompute(const std::vector<LayerTimes>& layers, std::size_t step)
{
    double forward = 0;
    Ticks backward = 0;
    for (const LayerTimes& layer : layers)
    {
        forward += layer.forward[step] / TICKS_PER_SECOND;
        backward = std::max(backward, layer.backwardEnd[step]);
        for (const ParameterTimes& parameter : layer.parameters)
        {
            backward = std::max(backward, parameter.ready[step]);
        }
    }
    return forward + backward / TICKS_PER_SECOND;
}

std::string
FormatSeconds(double seconds)
{
    return fmt::format("{:.6f} s", seconds);
}

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

    /// @param steps lengths of the steps that ran without instruments; @param cpu by CPU time
    void AddPlainStep(std::vector<Ticks> steps, bool cpu)
    {
        if (!steps.empty())
        {
            const Ticks us = std::llround(MedianTwice(std::move(steps)) / (2 * TICKS_PER_US));
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

/// Imports files of one model.
class TorchLayersImport
{
  public:
    explicit TorchLayersImport(const ImportOptions& options)
        : m_options(options)
    {
    }

    /// @param input content of the next file; @param file its name in messages
    void Add(std::istream& input, const std::string& file)
    {
        TorchLayersFile content = ReadTorchLayers(input, file);
        const uint32_t skip = m_options.skip.value_or(0);
        if (skip > 0)
        {
            SkipSteps(content.layers, skip, file);
            content.measuredSteps.erase(
                content.measuredSteps.begin(),
                content.measuredSteps.begin() +
                    std::min<std::size_t>(skip, content.measuredSteps.size()));
        }
        m_steps += content.steps - skip;
        m_files += (m_files.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
        AppendSteps(m_layers, content.layers, file);
        if (!m_first)
        {
            m_firstFile = file;
            m_first = std::move(content);
            return;
        }
        if (content.model != m_first->model)
        {
            content.meta.Get("model").Fail(
                "found '" + content.model +
                "'; accepted are files of one model, and the first is '" + m_first->model + "'");
        }
        if (content.batchSize != m_first->batchSize)
        {
            content.meta.Get("batch").Fail(
                "found " + std::to_string(content.batchSize) +
                "; accepted are files of one batch size, and that of the first is " +
                std::to_string(m_first->batchSize));
        }
        m_first->measuredSteps.insert(m_first->measuredSteps.end(),
                                      content.measuredSteps.begin(),
                                      content.measuredSteps.end());
        m_first->plainSteps.insert(m_first->plainSteps.end(),
                                   content.plainSteps.begin(),
                                   content.plainSteps.end());
    }

    /// @return the profile of all files
    ImportResult Finish()
    {
        const ComputeOrder order = m_options.order.value_or(ComputeOrder::DATAFLOW);
        uint32_t agreeing = 0;
        Profile& profile = m_result.profile;
        try
        {
            LayerProfileBuilder builder(m_layers, order);
            profile = builder.Build(m_options.device.value_or("cpu"));
            agreeing = builder.GetAgreeingSteps();
            profile.model = m_options.model.value_or(m_first->model);
            profile.batchSize = m_options.batchSize.value_or(m_first->batchSize);
            profile.Validate();
        }
        catch (const InputError& error)
        {
            throw InputError(m_firstFile + ": " + error.what());
        }
        SourceWriter source(m_first->meta, profile);
        source.AddFramework();
        source.Copy("source", "network");
        source.Copy("dtype", "dtype");
        source.Copy("cpu", "cpu");
        source.Copy("threads", "threads");
        source.Copy("blas", "blas");
        source.Copy("conv", "convolutions");
        source.Copy("optimizer", "optimizer");
        source.AddClock();
        source.Add("steps", std::to_string(m_steps));
        source.AddPlainStep(m_first->plainSteps, m_first->plainOnCpu);
        source.Add("steps_in_backward_order", std::to_string(agreeing));
        source.Add("compute_order", order == ComputeOrder::MEASURED ? "measured" : "dataflow");
        source.Add("file", m_files);
        source.Add("imported_by", "dml import torch-layers");
        AddRules(agreeing);
        return std::move(m_result);
    }

  private:
    void AddRules(uint32_t agreeing)
    {
        auto& rules = m_result.rules;
        rules.push_back("order of the backward pass: that of most steps (" +
                        std::to_string(agreeing) + " of " + Plural(m_steps, "step") + ")");
        if (m_first->measuredSteps.size() != m_steps)
        {
            m_result.warnings.push_back("the length of the measured steps is not in every file");
            return;
        }
        double updates = 0;
        for (std::size_t step = 0; step < m_steps; ++step)
        {
            const double update = SumUpdates(m_layers, step);
            const double explained = SumCompute(m_layers, step) + update;
            const double measured = m_first->measuredSteps[step] / TICKS_PER_SECOND;
            m_result.stepSeconds.push_back(measured);
            m_result.unexplainedSeconds.push_back(std::max(measured - explained, 0.0));
            updates += update;
        }
        rules.push_back(
            "measured step: the steps in which the layers were measured, with instruments "
            "(median " +
            FormatSeconds(MedianTwice(m_first->measuredSteps) / 2 / TICKS_PER_SECOND) +
            (m_first->plainSteps.empty()
                 ? ")"
                 : "; without instruments " +
                       FormatSeconds(MedianTwice(m_first->plainSteps) / 2 / TICKS_PER_SECOND) +
                       ")"));
        m_result.replayCaveat =
            "the measurement applied all gradients after the backward pass (" +
            FormatSeconds(updates / m_steps) +
            " per step); here the parameter server applies each as soon as it has arrived";
    }

    const ImportOptions& m_options;         //!< the user's choices
    std::vector<LayerTimes> m_layers;       //!< of all files
    std::optional<TorchLayersFile> m_first; //!< the first file, with the steps of all
    std::string m_firstFile;                //!< its name
    std::string m_files;                    //!< names of all files without folders
    uint32_t m_steps{0};                    //!< measured steps of all files
    ImportResult m_result;                  //!< under construction
};

} // namespace

ImportResult
ImportTorchLayers(const std::vector<std::string>& files, const ImportOptions& options)
{
    if (files.empty())
    {
        throw InputError("no file; accepted is at least one PyTorch layer profile");
    }
    TorchLayersImport import(options);
    uint64_t bytesRead = 0;
    for (const std::string& file : files)
    {
        TraceInput input(file);
        std::istringstream stream(input.ReadAll(MAX_FILE));
        bytesRead += input.GetOffset();
        import.Add(stream, file);
    }
    ImportResult result = import.Finish();
    result.bytesRead = bytesRead;
    return result;
}

ImportFormat
TorchLayersFormat()
{
    return {"torch-layers",
            "a PyTorch layer profile (JSON)",
            {"order", "device", "skip"},
            ImportTorchLayers,
            nullptr,
            [](const JsonRecord& record) {
                return record.GetList() == JsonRecord::HEADER
                           ? record.GetText("schema") == "torch-layer-profile/1"
                           : record.GetList() == "layers" && record.Has("fwd_us");
            },
            {"layers"}};
}

} // namespace ns3::dml
