/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-expected-error.h"

#include "dml-result-summary.h"

#include "ns3/dml-job-plugins.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-si-number.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <cstddef>
#include <fmt/core.h>
#include <utility>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// Notes of a study; one with more kinds of configurations has the rest in summary.json.
constexpr std::size_t MOST_NOTES = 4;

// What was measured (doc/fidelity.rst).
constexpr double LEAST_RATE = 200e6;  //!< bit/s
constexpr double MOST_RATE = 1e9;     //!< bit/s
constexpr double LEAST_PORT = 256e3;  //!< bytes
constexpr double MOST_PORT = 4e6;     //!< bytes
constexpr double LEAST_BYTES = 12e6;  //!< the tensors of a job with servers have together
constexpr double MOST_BYTES = 67e6;   //!< likewise
constexpr double LEAST_BUFFER = 64e3; //!< an all-reduce sums up
constexpr double MOST_BUFFER = 100e6; //!< likewise
constexpr uint32_t MOST_WORKERS = 8;
constexpr uint32_t MOST_SERVERS = 2;

std::string
DescribeBytes(double bytes)
{
    return FormatSi(bytes, "B");
}

/// @param describe says it with its unit @return what of a value is outside; empty if it is not
template <typename Describe>
std::string
CompareRange(double value, double least, double most, const Describe& describe)
{
    return value < least * (1 - 1e-9) || value > most * (1 + 1e-9)
               ? fmt::format("{} ({} to {} were measured)",
                             describe(value),
                             describe(least),
                             describe(most))
               : "";
}

/// Finds what of a configuration was not measured.
class OutsideList
{
  public:
    /// @param unlike whether something is so @param what it is
    void Add(bool unlike, const std::string& what)
    {
        if (unlike)
        {
            m_found.push_back(what);
        }
    }

    /// @param what it is; empty if it was measured
    void Add(const std::string& what)
    {
        Add(!what.empty(), what);
    }

    /// @return all
    std::vector<std::string> Take()
    {
        return std::move(m_found);
    }

  private:
    std::vector<std::string> m_found; //!< what has been found so far
};

/// What jobs of all protocols have.
void
CompareNetwork(const PreparedScenario& prepared, OutsideList& outside)
{
    const Scenario& scenario = prepared.scenario;
    const NetworkSpec& network = scenario.network;
    outside.Add(CompareRange(network.rate.GetBitRate(), LEAST_RATE, MOST_RATE, FormatBitRate));
    outside.Add(network.topology.type != "star", network.topology.type + " topology");
    outside.Add(!network.hosts.empty() || !network.colocate.empty(), "hosts that differ");
    outside.Add(scenario.job.workersPerHost.AreShared(), "several workers on a host");
    outside.Add(network.transport != "linux", "transport " + network.transport);
    outside.Add(network.tcp.variant != "cubic", network.tcp.variant);
    outside.Add(!network.background.empty(), "background traffic");
    outside.Add(!network.faults.empty() || !scenario.processFaults.empty(), "faults");
    outside.Add(network.delay > MicroSeconds(100), "delays of links above 100 us");
    outside.Add(!scenario.otherJobs.empty(), "several jobs");
    outside.Add(UsesAggregators(scenario.job), "switches that add up");
    outside.Add(scenario.job.workload != "training", scenario.job.workload);
    const QueueSpec& queue = network.queue;
    outside.Add(HasOwnQueues(network), "queues of another class");
    if (queue.kind == QueueSpec::Kind::DROP_TAIL && queue.bytes > 0)
    {
        outside.Add(
            CompareRange(static_cast<double>(queue.bytes), LEAST_PORT, MOST_PORT, DescribeBytes));
    }
    else
    {
        outside.Add(queue.IsFifo(),
                    queue.kind == QueueSpec::Kind::SHARED
                        ? "ports that share a buffer"
                        : "ports that mark, drop early or never drop");
    }
}

/// @return bytes of all tensors
double
SumTensors(const PreparedJob& job)
{
    double bytes = 0;
    for (const auto& tensor : job.profile->tensors)
    {
        bytes += static_cast<double>(tensor.bytes);
    }
    return bytes;
}

/// @return the group of a collective, as kinds are named
std::string
NameCollective(const std::string& algorithm)
{
    if (algorithm == "halving-doubling" || algorithm == "recursive-doubling" || algorithm == "tree")
    {
        return algorithm == "tree" ? "tree" : "exchange of pairs";
    }
    return "ring or hierarchical";
}

/// @return the kind that is most like a configuration
std::string
NameKind(const Scenario& scenario, uint32_t workers)
{
    const std::string ports = scenario.network.queue.IsFifo() ? "FIFO" : "fair";
    if (scenario.job.parameterServers == 0)
    {
        return NameCollective(scenario.job.allReduce.algorithm) + ", " + ports;
    }
    return workers == 1 ? "one worker"
                        : ports + (scenario.job.parameterServers == 1 ? ", M = 1" : ", M = 2");
}

/// "fair-share 4.1 % (at most 19)"
std::string
DescribeErrors(const MeasuredKind& kind, const EngineSet& engines)
{
    std::vector<std::string> texts;
    for (const auto& [engine, size] : kind.errors)
    {
        if (engines.count(engine) > 0)
        {
            texts.push_back(
                fmt::format("{} {:.1f} % (at most {:.0f}{})",
                            GetEngineName(engine),
                            size.mean,
                            size.largest,
                            size.cases < kind.cases ? fmt::format("; {} cases", size.cases) : ""));
        }
    }
    return JoinWords(texts);
}

} // namespace

Json
ExpectedError::ToJson() const
{
    Json json{{"kind", kind->name}, {"measured_cases", kind->cases}, {"not_measured", outside}};
    for (const auto& [engine, size] : kind->errors)
    {
        json["engines"][GetEngineName(engine)] = {{"mean_percent", size.mean},
                                                  {"largest_percent", size.largest},
                                                  {"cases", size.cases}};
    }
    return json;
}

const std::vector<MeasuredKind>&
GetMeasuredKinds()
{
    using Kinds = std::vector<MeasuredKind>;
    constexpr auto FAIR_SHARE = EngineKind::FAIR_SHARE;
    constexpr auto BURST = EngineKind::BURST;
    constexpr auto PACKET = EngineKind::PACKET;
    static const Kinds kinds{
        // clang-format off
        {"one worker", 24, {{FAIR_SHARE, {0.5, 1.5, 24}}, {BURST, {0.5, 1.6, 24}}, {PACKET, {0.6, 1.0, 8}}}},
        {"fair, M = 1", 48, {{FAIR_SHARE, {3.2, 12.2, 48}}, {BURST, {3.8, 14.8, 48}}, {PACKET, {2.9, 5.8, 6}}}},
        {"fair, M = 2", 39, {{FAIR_SHARE, {4.6, 19.6, 39}}, {BURST, {4.0, 19.7, 39}}, {PACKET, {2.7, 9.3, 6}}}},
        {"FIFO, M = 1", 47, {{FAIR_SHARE, {8.4, 49.4, 47}}, {BURST, {8.2, 33.3, 47}}, {PACKET, {8.1, 18.9, 6}}}},
        {"FIFO, M = 2", 39, {{FAIR_SHARE, {7.9, 23.3, 39}}, {BURST, {5.2, 18.0, 39}}, {PACKET, {10.4, 38.5, 6}}}},
        {"ring or hierarchical, fair", 27, {{FAIR_SHARE, {19.1, 303.0, 27}}, {BURST, {18.8, 409.5, 27}}, {PACKET, {29.6, 285.9, 18}}}},
        {"ring or hierarchical, FIFO", 27, {{FAIR_SHARE, {17.5, 261.2, 27}}, {BURST, {15.3, 328.7, 27}}, {PACKET, {27.0, 245.9, 18}}}},
        {"exchange of pairs, fair", 18, {{FAIR_SHARE, {12.0, 41.5, 18}}, {BURST, {0.9, 3.5, 18}}, {PACKET, {22.9, 51.4, 12}}}},
        {"exchange of pairs, FIFO", 18, {{FAIR_SHARE, {15.8, 49.8, 18}}, {BURST, {4.8, 22.0, 18}}, {PACKET, {21.0, 51.4, 12}}}},
        {"tree, fair", 9, {{FAIR_SHARE, {10.3, 33.7, 9}}, {BURST, {1.8, 4.7, 9}}, {PACKET, {15.0, 35.9, 6}}}},
        {"tree, FIFO", 9, {{FAIR_SHARE, {11.0, 28.3, 9}}, {BURST, {2.9, 6.0, 9}}, {PACKET, {14.8, 30.6, 6}}}},
        // clang-format on
    };
    return kinds;
}

ExpectedError
FindExpectedError(const PreparedScenario& prepared, uint32_t workers)
{
    const Scenario& scenario = prepared.scenario;
    const JobSpec& job = scenario.job;
    OutsideList outside;
    outside.Add(workers > MOST_WORKERS,
                fmt::format("{} workers (up to {} were measured)", workers, MOST_WORKERS));
    outside.Add(
        job.parameterServers > MOST_SERVERS,
        fmt::format("{} servers (up to {} were measured)", job.parameterServers, MOST_SERVERS));
    CompareNetwork(prepared, outside);
    const double bytes = SumTensors(prepared.GetJob());
    if (job.parameterServers > 0)
    {
        outside.Add(job.protocol != "run-graph", "protocol " + job.protocol);
        outside.Add(job.sync.rule != "async" && job.sync.rule != "bsp", "sync " + job.sync.rule);
        outside.Add(CompareRange(bytes, LEAST_BYTES, MOST_BYTES, DescribeBytes));
    }
    else
    {
        outside.Add(job.protocol != "all-reduce", "protocol " + job.protocol);
        outside.Add(job.allReduce.algorithm == "auto" || !job.allReduce.algorithmAttributes.empty(),
                    "algorithm " + job.allReduce.algorithm);
        outside.Add(CompareRange(bytes, LEAST_BUFFER, MOST_BUFFER, DescribeBytes));
    }
    const std::string name = NameKind(scenario, workers);
    const auto& kinds = GetMeasuredKinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
        return kind.name == name;
    });
    return {&*found, outside.Take()};
}

std::vector<std::string>
MakeExpectedErrorNotes(const RunSummary& summary)
{
    // cases that are told together, in the order of the first ones
    std::vector<std::pair<const CaseSummary*, std::vector<std::string>>> groups;
    for (const auto& item : summary.cases)
    {
        if (!item.expected.kind || DescribeErrors(*item.expected.kind, item.GetEngines()).empty())
        {
            continue;
        }
        const std::string workers = std::to_string(item.workers);
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            const CaseSummary& first = *group.first;
            return first.expected.kind == item.expected.kind &&
                   first.expected.outside == item.expected.outside &&
                   first.GetEngines() == item.GetEngines();
        });
        if (same == groups.end())
        {
            groups.push_back({&item, {workers}});
        }
        else if (std::find(same->second.begin(), same->second.end(), workers) == same->second.end())
        {
            same->second.push_back(workers);
        }
    }
    std::vector<std::string> notes;
    for (const auto& [item, workers] : groups)
    {
        if (notes.size() == MOST_NOTES)
        {
            notes.push_back(fmt::format("expected error: {} of configurations more; see "
                                        "\"expected_error\" in summary.json",
                                        Plural(groups.size() - MOST_NOTES, "kind")));
            break;
        }
        const ExpectedError& expected = item->expected;
        notes.push_back(fmt::format(
            "expected error, W = {}: {}, as of {} beside real processes ({}){}",
            JoinWords(workers),
            DescribeErrors(*expected.kind, item->GetEngines()),
            Plural(expected.kind->cases, "case"),
            expected.kind->name,
            expected.outside.empty()
                ? ""
                : fmt::format("; not measured: {}: there it may be larger (dml certify)",
                              JoinWords(expected.outside))));
    }
    return notes;
}

} // namespace ns3::dml
