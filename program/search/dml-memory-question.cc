/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-memory-question.h"

#include "ns3/dml-error.h"
#include "ns3/dml-one-worker-run.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Bytes that an optimizer remembers per byte of parameters: a velocity; two moments.
const std::map<std::string, double> OPTIMIZERS{{"sgd", 0}, {"momentum", 1}, {"adam", 2}};

} // namespace

MemoryQuestion::MemoryQuestion(std::string path,
                               const std::optional<uint32_t>& batch,
                               const std::string& optimizer)
    : m_path(std::move(path)),
      m_profile(ReadProfile(m_path))
{
    const OpGraph& graph = m_profile.graph;
    OpIndex op = 0;
    while (op < graph.GetSize() && graph.Get(op).memory.activation == 0)
    {
        ++op;
    }
    if (op == graph.GetSize())
    {
        throw InputError(m_path +
                         ": no op has activation_bytes; accepted: a profile that tells what its "
                         "ops keep, as tools/profile-torch and dml import of a PyTorch trace with "
                         "profile_memory=True or of TensorFlow's RunMetadata write");
    }
    m_options.batch = batch.value_or(m_profile.batchSize);
    m_options.optimizerState = OPTIMIZERS.at(optimizer);
    m_order = FindComputeOrder(m_profile);
}

uint32_t
MemoryQuestion::CountForward() const
{
    return std::count_if(m_order.begin(), m_order.end(), [this](OpIndex op) {
        return m_profile.graph.Get(op).kind == OpKind::FORWARD;
    });
}

MemoryChoice
MemoryQuestion::TryPlain() const
{
    return {"as it is", m_options, Forecast(m_options)};
}

MemoryChoice
MemoryQuestion::TryRecomputing(const std::string& segments) const
{
    MemoryOptions options = m_options;
    options.segments = ReadSegments(segments);
    return {"recompute, " + Plural(options.segments.size() + 1, "segment"),
            options,
            Forecast(options)};
}

MemoryChoice
MemoryQuestion::TryAccumulating(uint32_t passes) const
{
    if (m_options.batch % passes != 0)
    {
        throw InputError("--accumulate: found " + std::to_string(passes) +
                         ", which does not divide a batch of " + std::to_string(m_options.batch) +
                         "; accepted: a divisor of it");
    }
    MemoryOptions options = m_options;
    options.passes = passes;
    return {"accumulate, " + std::to_string(passes) + (passes == 1 ? " pass of " : " passes of ") +
                std::to_string(m_options.batch / passes),
            options,
            Forecast(options)};
}

MemoryForecast
MemoryQuestion::Forecast(const MemoryOptions& options) const
{
    try
    {
        return ForecastMemory(m_profile, m_order, options);
    }
    catch (const ProfileError& error)
    {
        throw InputError(m_path + ": " + error.what());
    }
}

std::vector<OpIndex>
MemoryQuestion::ReadSegments(const std::string& text) const
{
    uint32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (text.empty() || (error == std::errc() && end == text.data() + text.size() && count > 0))
    {
        return CutSegments(m_profile, m_order, count);
    }
    std::map<std::string, OpIndex> known;
    std::vector<std::string> names;
    for (const OpIndex op : m_order)
    {
        if (m_profile.graph.Get(op).kind == OpKind::FORWARD)
        {
            names.push_back(m_profile.graph.Get(op).name);
            known.emplace(names.back(), op);
        }
    }
    std::vector<OpIndex> segments;
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');)
    {
        const auto op = known.find(item);
        if (op == known.end())
        {
            throw InputError(
                "--segments: found '" + item + "'" +
                AcceptedText(Suggest(item, names), "a number, or names of forward ops"));
        }
        segments.push_back(op->second);
    }
    return segments;
}

} // namespace ns3::dml
