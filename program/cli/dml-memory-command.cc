/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-memory-command.h"

#include "dml-memory-report.h"

#include "ns3/dml-compute-order.h"
#include "ns3/dml-error.h"
#include "ns3/dml-memory-model.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-terminal-text.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

namespace ns3
{
namespace dml
{

namespace
{

/// Bytes that an optimizer remembers per byte of parameters: a velocity; two moments.
const std::map<std::string, double> OPTIMIZERS{{"sgd", 0}, {"momentum", 1}, {"adam", 2}};

/// A way to train, and what it takes.
struct MemoryChoice
{
    std::string name;        //!< for a person
    MemoryForecast forecast; //!< of it
};

/// The profile of the command, and ways to train.
class MemoryQuestion
{
  public:
    explicit MemoryQuestion(const CommandOptions& options)
        : m_path(options.operands[1]),
          m_profile(ReadProfile(m_path))
    {
        CheckProfile();
        m_options.batch = options.batch.value_or(m_profile.batchSize);
        m_options.optimizerState = OPTIMIZERS.at(options.optimizer);
        m_order = FindComputeOrder(m_profile);
    }

    const Profile& GetProfile() const
    {
        return m_profile;
    }

    uint32_t GetBatch() const
    {
        return m_options.batch;
    }

    MemoryChoice TryPlain() const
    {
        return {"as it is", Forecast(m_options)};
    }

    /// @param segments number or names of ops; empty: as many as Chen et al. have
    MemoryChoice TryRecomputing(const std::string& segments) const
    {
        MemoryOptions options = m_options;
        options.segments = ReadSegments(segments);
        return {"recompute, " + Plural(options.segments.size() + 1, "segment"), Forecast(options)};
    }

    MemoryChoice TryAccumulating(uint32_t passes) const
    {
        if (m_options.batch % passes != 0)
        {
            throw InputError("--accumulate: found " + std::to_string(passes) +
                             ", which does not divide a batch of " +
                             std::to_string(m_options.batch) + "; accepted: a divisor of it");
        }
        MemoryOptions options = m_options;
        options.passes = passes;
        return {"accumulate, " + std::to_string(passes) +
                    (passes == 1 ? " pass of " : " passes of ") +
                    std::to_string(m_options.batch / passes),
                Forecast(options)};
    }

    /// @return whether it is known what ops hand on
    bool HasOutputs() const
    {
        for (OpIndex op = 0; op < m_profile.graph.GetSize(); ++op)
        {
            if (m_profile.graph.Get(op).memory.output > 0)
            {
                return true;
            }
        }
        return false;
    }

  private:
    void CheckProfile() const
    {
        for (OpIndex op = 0; op < m_profile.graph.GetSize(); ++op)
        {
            if (m_profile.graph.Get(op).memory.activation > 0)
            {
                return;
            }
        }
        throw InputError(m_path +
                         ": no op has activation_bytes; accepted: a profile that tells what its "
                         "ops keep, as tools/profile-torch and dml import of a PyTorch trace with "
                         "profile_memory=True write");
    }

    MemoryForecast Forecast(const MemoryOptions& options) const
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

    std::vector<OpIndex> ReadSegments(const std::string& text) const
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

    std::string m_path;           //!< of the profile
    Profile m_profile;            //!< the job
    MemoryOptions m_options;      //!< as it is
    std::vector<OpIndex> m_order; //!< in which compute ops run
};

/// @return bytes that the profile's source says were measured, if it does
std::optional<uint64_t>
FindMeasuredPeak(const Profile& profile)
{
    for (const auto& [key, value] : profile.source)
    {
        uint64_t bytes = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
        if (key == "peak_bytes" && error == std::errc() && end == value.data() + value.size())
        {
            return bytes;
        }
    }
    return std::nullopt;
}

void
PrintChoices(const std::vector<MemoryChoice>& choices)
{
    std::cout << FormatText("\n%-32s %10s %9s %12s %9s\n",
                            "choice",
                            "peak MB",
                            "change",
                            "compute ms",
                            "change")
              << std::string(76, '-') << '\n';
    const MemoryForecast& plain = choices.front().forecast;
    for (const auto& choice : choices)
    {
        const double bytes = choice.forecast.timeline.GetPeakBytes();
        const auto change = [](double value, double other) {
            return other > 0 ? FormatText("%+.1f %%", 100 * (value / other - 1)) : "-";
        };
        std::cout << FormatText("%-32s %10.1f %9s %12.1f %9s\n",
                                choice.name.c_str(),
                                bytes / 1e6,
                                change(bytes, plain.timeline.GetPeakBytes()).c_str(),
                                1e3 * choice.forecast.seconds,
                                change(choice.forecast.seconds, plain.seconds).c_str());
    }
}

/// @return all ways to train that fit the profile, the first one as it is
std::vector<MemoryChoice>
TryAll(const MemoryQuestion& question)
{
    std::vector<MemoryChoice> choices{question.TryPlain()};
    if (question.HasOutputs())
    {
        choices.push_back(question.TryRecomputing(""));
    }
    for (const uint32_t passes : {2, 4})
    {
        if (question.GetBatch() % passes == 0)
        {
            choices.push_back(question.TryAccumulating(passes));
        }
    }
    return choices;
}

} // namespace

int
RunMemory(const CommandOptions& options)
{
    if (options.recompute && options.accumulate)
    {
        throw InputError("found --recompute and --accumulate; accepted: one of them");
    }
    if (!options.segments.empty() && !options.recompute)
    {
        throw InputError("found --segments without --recompute; accepted: both");
    }
    const MemoryQuestion question(options);
    const Profile& profile = question.GetProfile();
    std::vector<MemoryChoice> choices{question.TryPlain()};
    if (options.recompute)
    {
        choices.push_back(question.TryRecomputing(options.segments));
    }
    else if (options.accumulate)
    {
        choices.push_back(question.TryAccumulating(*options.accumulate));
    }
    const MemoryChoice chosen = choices.back();
    const MemoryTimeline& timeline = chosen.forecast.timeline;
    const MemoryPhase& peak = timeline.phases[timeline.peak];
    std::cout << EscapeControls(profile.model) << ", batch " << question.GetBatch() << ", "
              << options.optimizer << ", " << chosen.name << ": peak "
              << FormatText("%.1f", timeline.GetPeakBytes() / 1e6) << " MB\nin "
              << EscapeControls(profile.graph.Get(peak.op).name) << (peak.again ? " again" : "")
              << "\n\n"
              << FormatMemoryPeak(profile, timeline);
    PrintChoices(options.recompute || options.accumulate ? choices : TryAll(question));
    const auto measured = FindMeasuredPeak(profile);
    if (measured && question.GetBatch() == profile.batchSize && choices.size() == 1 &&
        options.optimizer == "sgd")
    {
        std::cout << FormatText("measured with the profile: %.1f MB (the prediction is %+.1f %% "
                                "off)\n",
                                *measured / 1e6,
                                100 * (double(timeline.GetPeakBytes()) / *measured - 1));
    }
    if (!options.out.empty())
    {
        WriteMemoryFiles(options.out, profile, timeline);
        std::cout << "memory.csv, live-ranges.csv: " << options.out << '\n';
    }
    return 0;
}

} // namespace dml
} // namespace ns3
