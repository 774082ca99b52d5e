/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-layer-profile.h"
#include "dml-layer-times.h"

#include "ns3/dml-import-limits.h"
#include "ns3/dml-importers.h"
#include "ns3/dml-json-cursor.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-trace-faults.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr const char* SCHEMA = "torch-layer-profile/1";

/// Longest time accepted, in microseconds: the 1000000 s that a native profile may hold.
constexpr double MAX_US = 1e12;

/// Content of PyTorch layer profiles of one model (JSON, schema "torch-layer-profile/1").
struct TorchLayersFile
{
    JsonCursor meta;                  //!< the first file's description of itself
    std::string model{};              //!< name of the neural network
    uint32_t batchSize{0};            //!< samples per step
    uint32_t steps{0};                //!< measured steps
    std::vector<LayerTimes> layers{}; //!< in forward order, one value per measured step
    /// Lengths of the measured steps, by CPU time where it was taken; empty if the file has none.
    std::vector<Ticks> measuredSteps{};
    std::vector<Ticks> plainSteps{}; //!< lengths of other steps, without instruments; may be empty
    bool plainOnCpu{false};          //!< plainSteps are CPU time, not wall-clock time
    std::map<uint32_t, std::string> damaged{}; //!< measured steps with a time that cannot be
                                               //!< right: number from 0, what is wrong
};

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
            const std::string found = root.Has("schema")
                                          ? "found schema '" + root.Get("schema").GetString() + "'"
                                          : "no key 'schema', so this is no PyTorch layer profile";
            root.Fail(found + "; accepted is '" + SCHEMA + "'");
        }
    }

    TorchLayersFile Read()
    {
        const JsonCursor meta = m_root.Get("meta");
        TorchLayersFile content{meta};
        if (meta.Has("steps"))
        {
            m_steps = meta.Get("steps").GetUnsigned(1, UINT32_MAX);
        }
        const JsonCursor list = m_root.Get("layers");
        for (const JsonCursor& item : list.GetItems())
        {
            content.layers.push_back(ReadLayer(item, content.layers.size()));
        }
        if (content.layers.empty())
        {
            list.Fail("no layers; accepted is at least one");
        }
        if (meta.Has("step_wall_us"))
        {
            ReadSteps(meta.Get("step_wall_us"), content);
        }
        content.model = meta.Get("model").GetString();
        content.batchSize = static_cast<uint32_t>(meta.Get("batch").GetUnsigned(1, UINT32_MAX));
        content.steps = m_steps.value_or(0);
        content.damaged = std::move(m_damaged);
        return content;
    }

  private:
    /// Read the lengths of the steps with and without instruments, as far as @p all has them.
    void ReadSteps(const JsonCursor& all, TorchLayersFile& content)
    {
        if (all.Has("hooked_cpu"))
        {
            content.measuredSteps = ReadTimes(all.Get("hooked_cpu"));
        }
        else
        {
            ReadPasses(all, content.measuredSteps);
        }
        content.plainOnCpu = all.Has("plain_cpu");
        if (content.plainOnCpu || all.Has("plain"))
        {
            for (const JsonCursor& item :
                 all.Get(content.plainOnCpu ? "plain_cpu" : "plain").GetItems())
            {
                content.plainSteps.push_back(ReadTime(item));
            }
        }
    }

    /// Read @p steps that are sums of three passes; none unless @p all has all three.
    void ReadPasses(const JsonCursor& all, std::vector<Ticks>& steps)
    {
        for (const char* key : {"hooked_fwd", "hooked_bwd", "hooked_upd"})
        {
            if (!all.Has(key))
            {
                steps.clear();
                return;
            }
            const std::vector<Ticks> part = ReadTimes(all.Get(key));
            steps.resize(part.size(), 0);
            std::transform(part.begin(), part.end(), steps.begin(), steps.begin(), std::plus<>());
        }
    }

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
        parameter.bytes = item.Get("bytes").GetUnsigned(0, importlimit::TENSOR_BYTES);
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
            try
            {
                times.push_back(ReadTime(item));
            }
            catch (const InputError& error)
            {
                m_damaged.emplace(times.size(), error.what());
                times.push_back(0);
            }
        }
        if (!m_steps && !times.empty())
        {
            m_steps = times.size();
        }
        if (times.empty() || times.size() != *m_steps)
        {
            const std::string each = m_steps ? "of the " + Plural(*m_steps, "step") : "step";
            list.Fail("found " + Plural(times.size(), "value") + "; accepted is one for each " +
                      each);
        }
        return times;
    }

    JsonCursor m_root;                           //!< the file
    std::optional<uint32_t> m_steps;             //!< measured steps, once known
    std::map<std::string, std::string> m_owners; //!< layer of each parameter
    std::map<uint32_t, std::string> m_damaged;   //!< as TorchLayersFile::damaged
};

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

std::string
FormatMedian(const std::vector<Ticks>& times)
{
    return FormatSeconds(MedianTwice(times) / 2 / TICKS_PER_SECOND);
}

/// Leave out the first @p skip steps of @p content, which is that of @p file.
void
Skip(TorchLayersFile& content, uint32_t skip, const std::string& file)
{
    SkipSteps(content.layers, skip, file);
    auto& measured = content.measuredSteps;
    measured.erase(measured.begin(),
                   measured.begin() + std::min<std::size_t>(skip, measured.size()));
    content.steps -= skip;
    std::map<uint32_t, std::string> damaged;
    for (const auto& [step, error] : content.damaged)
    {
        if (step >= skip)
        {
            damaged.emplace(step - skip, error);
        }
    }
    content.damaged = std::move(damaged);
}

/**
 * Leave out the steps of @p content that have a time which cannot be right.
 * @param file that it is of
 * @param warnings gets a line if there are some
 * @throws InputError if these are all steps, or most
 */
void
LeaveOutDamaged(TorchLayersFile& content,
                const std::string& file,
                std::vector<std::string>& warnings)
{
    if (content.damaged.size() == content.steps)
    {
        throw InputError(content.damaged.begin()->second);
    }
    TraceFaults faults;
    std::vector<uint32_t> steps;
    for (const auto& [step, error] : content.damaged)
    {
        faults.Add(TraceFault::DAMAGED_STEP, error);
        steps.push_back(step);
    }
    content.steps -= steps.size();
    faults.RefuseIfMost(file, content.steps);
    LeaveOutSteps(content.layers, steps);
    if (!content.measuredSteps.empty())
    {
        LeaveOutTimes(content.measuredSteps, steps);
    }
    for (const std::string& fault : faults.Tell())
    {
        warnings.push_back(file + ": " + fault);
    }
}

/// Add the steps of @p content, which is that of @p file, to those of the files before it.
void
Append(TorchLayersFile& all, const TorchLayersFile& content, const std::string& file)
{
    AppendSteps(all.layers, content.layers, file);
    if (content.model != all.model)
    {
        content.meta.Get("model").Fail("found '" + content.model +
                                       "'; accepted are files of one model, and the first is '" +
                                       all.model + "'");
    }
    if (content.batchSize != all.batchSize)
    {
        content.meta.Get("batch").Fail(
            "found " + std::to_string(content.batchSize) +
            "; accepted are files of one batch size, and that of the first is " +
            std::to_string(all.batchSize));
    }
    all.steps += content.steps;
    all.measuredSteps.insert(all.measuredSteps.end(),
                             content.measuredSteps.begin(),
                             content.measuredSteps.end());
    all.plainSteps.insert(all.plainSteps.end(),
                          content.plainSteps.begin(),
                          content.plainSteps.end());
}

/// Copy what is known about the measurement into Profile::source.
void
AddSource(const TorchLayersFile& all, Profile& profile)
{
    const auto add = [&profile](const std::string& key, const std::string& value) {
        profile.source.emplace_back(key, value);
    };
    const JsonCursor& meta = all.meta;
    std::string framework;
    for (const auto& [key, name] : {std::pair{"torch", "PyTorch"},
                                    std::pair{"torchvision", "torchvision"},
                                    std::pair{"python", "Python"}})
    {
        if (meta.Has(key))
        {
            framework +=
                (framework.empty() ? "" : ", ") + std::string(name) + " " + meta.Get(key).GetText();
        }
    }
    add("framework", framework.empty() ? "PyTorch" : framework);
    for (const auto& [from, key] : {std::pair{"source", "network"},
                                    std::pair{"dtype", "dtype"},
                                    std::pair{"cpu", "cpu"},
                                    std::pair{"threads", "threads"},
                                    std::pair{"blas", "blas"},
                                    std::pair{"conv", "convolutions"},
                                    std::pair{"optimizer", "optimizer"}})
    {
        if (meta.Has(from))
        {
            add(key, meta.Get(from).GetText());
        }
    }
    if (meta.Has("clock") && meta.Get("clock").Has("hooked"))
    {
        add("clock", meta.Get("clock").Get("hooked").GetText());
    }
    add("steps", std::to_string(all.steps));
    if (!all.plainSteps.empty())
    {
        const Ticks us = std::llround(MedianTwice(all.plainSteps) / (2 * TICKS_PER_US));
        add("plain_step_seconds", fmt::format("{}.{:06}", us / 1000000, us % 1000000));
        add("plain_step_clock", all.plainOnCpu ? "thread CPU time" : "wall");
    }
}

void
AddRules(const TorchLayersFile& all, uint32_t agreeing, ImportResult& result)
{
    result.rules.push_back("order of the backward pass: that of most steps (" +
                           std::to_string(agreeing) + " of " + Plural(all.steps, "step") + ")");
    if (all.measuredSteps.size() != all.steps)
    {
        result.warnings.push_back("the length of the measured steps is not in every file");
        return;
    }
    double updates = 0;
    for (std::size_t step = 0; step < all.steps; ++step)
    {
        const double update = SumUpdates(all.layers, step);
        const double explained = SumCompute(all.layers, step) + update;
        const double measured = all.measuredSteps[step] / TICKS_PER_SECOND;
        result.stepSeconds.push_back(measured);
        result.unexplainedSeconds.push_back(std::max(measured - explained, 0.0));
        updates += update;
    }
    result.rules.push_back(
        "measured step: the steps in which the layers were measured, with instruments "
        "(median " +
        FormatMedian(all.measuredSteps) +
        (all.plainSteps.empty() ? ")"
                                : "; without instruments " + FormatMedian(all.plainSteps) + ")"));
    result.replayCaveat =
        "the measurement applied all gradients after the backward pass (" +
        FormatSeconds(updates / all.steps) +
        " per step); here the parameter server applies each as soon as it has arrived";
}

} // namespace

ImportResult
ImportTorchLayers(const std::vector<std::string>& files, const ImportOptions& options)
{
    if (files.empty())
    {
        throw InputError("no file; accepted is at least one PyTorch layer profile");
    }
    ImportResult result;
    std::optional<TorchLayersFile> all;
    std::string names;
    for (const std::string& file : files)
    {
        TraceInput input(file);
        std::istringstream stream(input.ReadAll(MAX_FILE));
        result.bytesRead += input.GetOffset();
        names += (names.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
        TorchLayersFile content = TorchLayersReader(JsonCursor::Parse(stream, file)).Read();
        if (options.skip.value_or(0) > 0)
        {
            Skip(content, *options.skip, file);
        }
        LeaveOutDamaged(content, file, result.warnings);
        if (all)
        {
            Append(*all, content, file);
        }
        else
        {
            all = std::move(content);
        }
    }
    const ComputeOrder order = options.order.value_or(ComputeOrder::DATAFLOW);
    Profile& profile = result.profile;
    uint32_t agreeing = 0;
    try
    {
        LayerProfile made = MakeLayerProfile(all->layers, order, options.device.value_or("cpu"));
        profile = std::move(made.profile);
        agreeing = made.agreeingSteps;
        profile.model = options.model.value_or(all->model);
        profile.batchSize = options.batchSize.value_or(all->batchSize);
        profile.Validate();
    }
    catch (const InputError& error)
    {
        throw InputError(files.front() + ": " + error.what());
    }
    AddSource(*all, profile);
    profile.source.insert(
        profile.source.end(),
        {{"steps_in_backward_order", std::to_string(agreeing)},
         {"compute_order", order == ComputeOrder::MEASURED ? "measured" : "dataflow"},
         {"file", names},
         {"imported_by", "dml import torch-layers"}});
    AddRules(*all, agreeing, result);
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
                           ? record.GetText("schema") == SCHEMA
                           : record.GetList() == "layers" && record.Has("fwd_us");
            },
            {"layers"}};
}

} // namespace ns3::dml
