/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-difference.h"

#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr std::size_t MOST_TRANSFERS = 6;       //!< that are listed
constexpr std::size_t TRANSFER_NAME_WIDTH = 30; //!< columns

/// @return mean seconds of each part of a step, and of all
std::array<double, TIME_PARTS + 1>
GetMeanParts(const WhyAnalysis& analysis)
{
    std::array<double, TIME_PARTS + 1> means{};
    for (const auto& path : analysis.paths)
    {
        const auto parts = path.GetParts();
        for (std::size_t part = 0; part < TIME_PARTS; ++part)
        {
            means[part] += parts[part] / analysis.paths.size();
        }
        means[TIME_PARTS] += (path.step.end - path.step.start) / analysis.paths.size();
    }
    return means;
}

std::string
FormatSigned(double value)
{
    return (value < 0 ? "-" : "+") + FormatValue(std::abs(value));
}

/// What became of a transfer, or collective, in all steps together.
struct TransferWait
{
    double seconds{0}; //!< from when it could be sent until it was there
    double others{0};  //!< time integral of others that were under way on the same device role
    uint32_t count{0}; //!< how often

    double GetMean() const
    {
        return count > 0 ? seconds / count : 0;
    }

    /// @return how many others were under way beside it
    double GetOthers() const
    {
        return seconds > 0 ? others / seconds : 0;
    }
};

/// How many ops are under way, over time.
class LoadCurve
{
  public:
    void Add(double start, double end)
    {
        m_changes.emplace_back(start, 1);
        m_changes.emplace_back(end, -1);
    }

    /// No more Add() after this.
    void Finish()
    {
        std::sort(m_changes.begin(), m_changes.end());
        double load = 0;
        double integral = 0;
        double at = m_changes.empty() ? 0 : m_changes.front().first;
        for (const auto& [time, change] : m_changes)
        {
            integral += load * (time - at);
            at = time;
            load += change;
            m_points.push_back({time, integral, load});
        }
    }

    /// @return integral of the number over time
    double Integrate(double start, double end) const
    {
        return Integrate(end) - Integrate(start);
    }

  private:
    /// From a time on.
    struct Point
    {
        double time;     //!< s
        double integral; //!< until then
        double load;     //!< number from then on
    };

    double Integrate(double time) const
    {
        const auto after =
            std::upper_bound(m_points.begin(),
                             m_points.end(),
                             time,
                             [](double t, const Point& point) { return t < point.time; });
        if (after == m_points.begin())
        {
            return 0;
        }
        const Point& point = *std::prev(after);
        return point.integral + point.load * (time - point.time);
    }

    std::vector<std::pair<double, int>> m_changes; //!< starts and ends
    std::vector<Point> m_points;                   //!< in order of time
};

using TransferKey = std::pair<std::string, JobOpKind>;

/// @return what became of each transfer of a run, by name and kind
std::map<TransferKey, TransferWait>
MeasureTransfers(const RecordedJob& job)
{
    // all that goes the same way to or from the same server, over the rows of all workers
    const auto getRole = [&job](const JobOp& op) {
        return op.device == JobOp::NO_DEVICE ? std::string()
                                             : GetDeviceRole(job.graph.devices[op.device]);
    };
    std::map<std::string, LoadCurve> curves;

    // a transfer's chunks and its way are several ops: from the first one's cause to the last one's
    // end
    struct Span
    {
        double start;
        double end;
        std::string role;
    };

    std::map<std::tuple<uint32_t, uint32_t, JobOpKind, uint32_t>, Span> spans;
    for (GlobalOp op = 0; op < job.graph.ops.size(); ++op)
    {
        const JobOp& known = job.graph.ops[op];
        if (!IsSent(known.kind) || known.step == 0)
        {
            continue;
        }
        const auto& ran = job.execution.ops[op];
        const double ready = ran.released == NO_GLOBAL_OP ? ran.start : ran.ready;
        const auto [span, added] =
            spans.emplace(std::make_tuple(known.worker, known.step, known.kind, known.name),
                          Span{ready, ran.end, getRole(known)});
        span->second.start = std::min(span->second.start, ready);
        span->second.end = std::max(span->second.end, ran.end);
        curves[span->second.role].Add(ran.start, ran.end);
    }
    for (auto& [role, curve] : curves)
    {
        curve.Finish();
    }
    std::map<TransferKey, TransferWait> transfers;
    for (const auto& [key, span] : spans)
    {
        const auto& [worker, step, kind, name] = key;
        TransferWait& times = transfers[{job.graph.names[name], kind}];
        times.seconds += span.end - span.start;
        times.others += curves.at(span.role).Integrate(span.start, span.end);
        ++times.count;
    }
    return transfers;
}

std::string
FormatTransfers(const WhyAnalysis& one, const WhyAnalysis& other)
{
    const auto first = MeasureTransfers(*one.job);
    const auto second = MeasureTransfers(*other.job);
    std::vector<std::pair<double, TransferKey>> differences;
    for (const auto& [key, times] : first)
    {
        const auto match = second.find(key);
        if (match != second.end())
        {
            differences.emplace_back(-std::abs(times.GetMean() - match->second.GetMean()), key);
        }
    }
    std::sort(differences.begin(), differences.end());
    differences.resize(std::min(differences.size(), MOST_TRANSFERS));
    std::string text = "\n" + FormatText("  %-30s %10s %10s %10s  beside it\n",
                                         "from ready to arrival, s",
                                         one.job->engine.c_str(),
                                         other.job->engine.c_str(),
                                         "difference");
    for (const auto& [difference, key] : differences)
    {
        const TransferWait& a = first.at(key);
        const TransferWait& b = second.at(key);
        text += FormatText("  %-30s %10s %10s %10s %5.1f %4.1f\n",
                           KeepEnd(key.first, TRANSFER_NAME_WIDTH).c_str(),
                           FormatValue(a.GetMean()).c_str(),
                           FormatValue(b.GetMean()).c_str(),
                           FormatSigned(b.GetMean() - a.GetMean()).c_str(),
                           a.GetOthers(),
                           b.GetOthers());
    }
    return text + "  beside it: other transfers on the way to or from the same server meanwhile\n";
}

/// @return ratios of the pairs
Throughputs
GetRatios(const std::vector<std::pair<std::optional<double>, std::optional<double>>>& pairs)
{
    Throughputs ratios;
    for (const auto& [one, other] : pairs)
    {
        ratios.push_back(one && other && *other > 0 ? std::optional<double>(*one / *other)
                                                    : std::nullopt);
    }
    return ratios;
}

} // namespace

std::string
FormatDifference(const WhyAnalysis& one, const WhyAnalysis& other)
{
    const auto first = GetMeanParts(one);
    const auto second = GetMeanParts(other);
    std::string text = "why " + one.job->engine + " and " + other.job->engine + " differ\n\n" +
                       FormatText("  %-30s %10s %10s %10s\n",
                                  "critical path of a step, s",
                                  one.job->engine.c_str(),
                                  other.job->engine.c_str(),
                                  "difference");
    for (std::size_t part = 0; part <= TIME_PARTS; ++part)
    {
        if (first[part] == 0 && second[part] == 0)
        {
            continue;
        }
        const std::string name = part == TIME_PARTS ? "all" : ToString(static_cast<TimePart>(part));
        text += FormatText("  %-30s %10s %10s %10s\n",
                           name.c_str(),
                           FormatValue(first[part]).c_str(),
                           FormatValue(second[part]).c_str(),
                           FormatSigned(second[part] - first[part]).c_str());
    }
    return text + FormatTransfers(one, other);
}

std::vector<NetworkEffect>
ListNetworkEffects(const Json& scenario)
{
    std::vector<NetworkEffect> effects;
    const auto add = [&](const std::string& name,
                         const std::vector<std::pair<std::string, Json>>& settings) {
        Json changed = scenario;
        for (const auto& [pointer, value] : settings)
        {
            changed[Json::json_pointer(pointer)] = value;
        }
        if (changed != scenario)
        {
            effects.push_back({name, std::move(changed)});
        }
    };
    if (scenario["network"]["queue"] != 0)
    {
        add("losses in switch ports", {{"/network/queue", 0}});
    }
    add("one FIFO queue for all in a port", {{"/network/queue", {{"fair", 0}}}});
    add("slow start", {{"/network/tcp/initial_window", 10000}});
    add("small send buffers of TCP",
        {{"/network/tcp/send_buffer", "4MiB"}, {"/network/tcp/receive_buffer", "8MiB"}});
    add("delays of links", {{"/network/delay", "0ns"}});
    return effects;
}

EffectChecks
CheckEffects(ScenarioVariants& variants, const EngineComparison& comparison)
{
    const auto before = PairThroughputs(variants.RunUnchanged(comparison.what),
                                        variants.RunUnchanged(comparison.against));
    EffectChecks checks{EstimateDifference(before), {}};
    for (const auto& effect : ListNetworkEffects(variants.GetScenario()))
    {
        const auto after = PairThroughputs(variants.Run(effect.scenario, comparison.what),
                                           variants.Run(effect.scenario, comparison.against));
        checks.effects.push_back(
            {effect.name,
             EstimateDifference(after),
             EstimateDifference(PairThroughputs(GetRatios(before), GetRatios(after)))});
    }
    return checks;
}

std::string
FormatEffects(const EngineComparison& comparison, const EffectChecks& checks)
{
    if (checks.effects.empty())
    {
        return "";
    }
    std::string text = "\n  throughput of " + GetEngineName(comparison.what) + " against " +
                       GetEngineName(comparison.against) + ": " + PercentText(checks.before, 1) +
                       " %\n\n  without                                        %   effect, %\n";
    for (const auto& effect : checks.effects)
    {
        text += FormatText(
            "  %-34s %13s   %s%s\n",
            effect.name.c_str(),
            effect.after.value ? FormatText("%+.1f", 100 * *effect.after.value).c_str() : "-",
            PercentText(effect.change, 1).c_str(),
            effect.change.IsSignificant() ? "" : " ?");
    }
    return text + "  ?: may be 0 (95 % interval over replications with the same seeds)\n";
}

} // namespace dml
} // namespace ns3
