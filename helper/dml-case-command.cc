/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-command.h"

#include "dml-shell-word.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <queue>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// @return path of this program; its name alone if the system does not tell
std::string
FindProgram()
{
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "dml" : path.string();
}

} // namespace

std::string
CaseCommand::ToJson() const
{
    const Json json{{"folder", place},
                    {"scenario", scenario},
                    {"set", settings},
                    {"engine", engine},
                    {"ranks", ranks}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<CaseCommand>
CaseCommand::FromJson(const std::string& text)
{
    try
    {
        const Json json = Json::parse(text);
        CaseCommand command;
        command.place = json.at("folder").get<std::string>();
        command.scenario = json.at("scenario").get<std::string>();
        command.settings = json.at("set").get<std::vector<std::string>>();
        command.engine = json.at("engine").get<std::string>();
        command.ranks = json.at("ranks").get<uint32_t>();
        return command;
    }
    catch (const Json::exception&)
    {
        return std::nullopt;
    }
}

std::string
CaseCommand::MakeLine(const std::string& out,
                      const std::string& study,
                      const std::vector<uint32_t>& runs) const
{
    std::string line = "cd " + QuoteShell(place) + " && " + QuoteShell(FindProgram()) + " run " +
                       QuoteShell(scenario) + " --engine=" + engine;
    line += ranks > 1 ? " --ranks=" + std::to_string(ranks) : "";
    for (const auto& setting : settings)
    {
        line += " --set " + QuoteShell(setting);
    }
    line += " --out " + QuoteShell(out) + " --study " + study + " --case ";
    for (const uint32_t run : runs)
    {
        line += (line.back() == ' ' ? "" : ",") + std::to_string(run);
    }
    return line;
}

std::vector<std::vector<uint32_t>>
ShareOut(const StudyPlan& plan, const std::vector<uint32_t>& runs, std::size_t most)
{
    const auto cost = [&](uint32_t run) { return plan.GetRuns()[run].cost.cpuSeconds; };
    std::vector<uint32_t> longest = runs;
    std::stable_sort(longest.begin(), longest.end(), [&](uint32_t a, uint32_t b) {
        return cost(a) > cost(b);
    });
    const std::size_t count = most == 0 ? runs.size() : std::min(most, runs.size());
    std::vector<std::vector<uint32_t>> shares(count);
    using Load = std::pair<double, std::size_t>; // seconds and index of a command
    std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
    for (std::size_t i = 0; i < count; ++i)
    {
        least.push({0, i});
    }
    std::vector<double> loads(count, 0);
    for (const uint32_t run : longest)
    {
        const std::size_t i = least.top().second;
        least.pop();
        shares[i].push_back(run);
        loads[i] += cost(run);
        least.push({loads[i], i});
    }
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return loads[a] > loads[b];
    });
    std::vector<std::vector<uint32_t>> sorted;
    for (const std::size_t i : order)
    {
        sorted.push_back(std::move(shares[i]));
    }
    return sorted;
}

} // namespace dml
} // namespace ns3
