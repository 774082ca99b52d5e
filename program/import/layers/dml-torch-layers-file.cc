/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-layers-file.h"

#include "ns3/dml-import-limits.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace ns3::dml
{

namespace
{

constexpr const char* SCHEMA = "torch-layer-profile/1";

/// Longest time accepted, in microseconds: the 1000000 s that a native profile may hold.
constexpr double MAX_US = 1e12;

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
        const JsonCursor meta = root.Get("meta");
        if (meta.Has("steps"))
        {
            m_steps = meta.Get("steps").GetUnsigned(1, UINT32_MAX);
        }
    }

    /// @return the layers in forward order
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

    /// @return lengths of the steps in which the layers were measured; empty if the file has none
    std::vector<Ticks> ReadMeasuredSteps()
    {
        const JsonCursor meta = m_root.Get("meta");
        if (!meta.Has("step_wall_us"))
        {
            return {};
        }
        const JsonCursor all = meta.Get("step_wall_us");
        if (all.Has("hooked_cpu"))
        {
            return ReadTimes(all.Get("hooked_cpu"));
        }
        std::vector<Ticks> steps;
        for (const char* key : {"hooked_fwd", "hooked_bwd", "hooked_upd"})
        {
            if (!all.Has(key))
            {
                return {};
            }
            const std::vector<Ticks> part = ReadTimes(all.Get(key));
            steps.resize(part.size(), 0);
            std::transform(part.begin(), part.end(), steps.begin(), steps.begin(), std::plus<>());
        }
        return steps;
    }

    /// @return lengths of the steps that ran without instruments, by CPU time where it was taken
    std::vector<Ticks> ReadPlainSteps() const
    {
        std::vector<Ticks> steps;
        const std::string key = FindPlainSteps();
        if (!key.empty())
        {
            for (const JsonCursor& item :
                 m_root.Get("meta").Get("step_wall_us").Get(key).GetItems())
            {
                steps.push_back(ReadTime(item));
            }
        }
        return steps;
    }

    /// @return key of the steps that ran without instruments, or nothing
    std::string FindPlainSteps() const
    {
        const JsonCursor meta = m_root.Get("meta");
        if (meta.Has("step_wall_us"))
        {
            for (const char* key : {"plain_cpu", "plain"})
            {
                if (meta.Get("step_wall_us").Has(key))
                {
                    return key;
                }
            }
        }
        return "";
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
            times.push_back(ReadTime(item));
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
};

} // namespace

TorchLayersFile
ReadTorchLayers(std::istream& input, const std::string& file)
{
    const JsonCursor root = JsonCursor::Parse(input, file);
    TorchLayersReader reader(root);
    TorchLayersFile content{root.Get("meta")};
    content.layers = reader.ReadLayers();
    content.measuredSteps = reader.ReadMeasuredSteps();
    content.plainSteps = reader.ReadPlainSteps();
    content.plainOnCpu = reader.FindPlainSteps() == "plain_cpu";
    content.model = content.meta.Get("model").GetString();
    content.batchSize = static_cast<uint32_t>(content.meta.Get("batch").GetUnsigned(1, UINT32_MAX));
    content.steps = reader.GetSteps();
    return content;
}

} // namespace ns3::dml
