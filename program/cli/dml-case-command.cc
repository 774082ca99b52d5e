/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-command.h"

#include "ns3/dml-error.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-shell-word.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <filesystem>
#include <queue>
#include <utility>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// What --ranks accepts.
constexpr uint32_t MOST_RANKS = 1024;

/// @return path of this program; its name alone if the system does not tell
std::string
FindThisProgram()
{
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "dml" : path.string();
}

} // namespace

std::string
CaseCommand::ToJson() const
{
    Json json{{"folder", place},
              {"scenario", scenario},
              {"set", settings},
              {"engine", engine},
              {"ranks", ranks}};
    if (!plugins.empty())
    {
        json["plugins"] = plugins;
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

CaseCommand
CaseCommand::FromJson(const std::string& text)
{
    const Json json = ParseOwnJson(text);
    const auto check = [](bool good, const std::string& key, const std::string& accepted) {
        if (!good)
        {
            throw InputError(key + " is damaged; accepted: " + accepted);
        }
    };
    const std::vector<std::string> keys{"folder", "scenario", "set", "engine", "ranks"};
    const bool plugins = json.is_object() && json.contains("plugins");
    check(json.is_object() && json.size() == keys.size() + (plugins ? 1 : 0) &&
              std::all_of(keys.begin(),
                          keys.end(),
                          [&json](const std::string& key) { return json.contains(key); }),
          "it",
          "JSON with folder, scenario, set, engine and ranks");
    const auto isText = [](const Json& value) {
        return value.is_string() && !value.get_ref<const std::string&>().empty() &&
               value.get_ref<const std::string&>().find('\0') == std::string::npos;
    };
    const Json& set = json["set"];
    check(isText(json["folder"]) && json["folder"].get_ref<const std::string&>().front() == '/',
          "folder",
          "an absolute path");
    check(isText(json["scenario"]), "scenario", "a path");
    const auto areTexts = [&isText](const Json& list) {
        return list.is_array() && std::all_of(list.begin(), list.end(), isText);
    };
    check(areTexts(set), "set", "a list of texts");
    check(!plugins || areTexts(json["plugins"]), "plugins", "a list of texts");
    check(isText(json["engine"]) && FindEngines(json["engine"].get_ref<const std::string&>()),
          "engine",
          JoinWords(ListEngineChoices()) + ", or " + ENGINE_LISTS);
    check(json["ranks"].is_number_unsigned() && json["ranks"] >= 1 && json["ranks"] <= MOST_RANKS,
          "ranks",
          "an integer from 1 to " + std::to_string(MOST_RANKS));
    return {json["folder"].get<std::string>(),
            json["scenario"].get<std::string>(),
            set.get<std::vector<std::string>>(),
            json["engine"].get<std::string>(),
            json["ranks"].get<uint32_t>(),
            json.value("plugins", std::vector<std::string>())};
}

std::string
CaseCommand::MakeLine(const std::string& out,
                      const std::string& study,
                      const std::vector<uint32_t>& runs) const
{
    std::string line = "cd " + QuoteShell(place) + " && " + QuoteShell(FindThisProgram()) +
                       " run " + QuoteShellPath(scenario) + " --engine=" + QuoteShell(engine);
    line += ranks > 1 ? " --ranks=" + std::to_string(ranks) : "";
    for (const auto& plugin : plugins)
    {
        line += " --plugin " + QuoteShell(plugin);
    }
    for (const auto& setting : settings)
    {
        line += " --set " + QuoteShell(setting);
    }
    line += " --out " + QuoteShell(out) + " --study " + QuoteShell(study) + " --case ";
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

} // namespace ns3::dml
