/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-command-line.h"

#include "dml-ns3-script.h"

#include "ns3/dml-error.h"
#include "ns3/dml-learning-problem.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// Of a server, for --cores: each number is a fit.
constexpr uint32_t MOST_CORES = 64;
constexpr uint32_t MOST_HORIZON = 1000;
/// A week, for --minutes.
constexpr uint32_t MOST_MINUTES = 10080;

/// Own options without a value.
const std::vector<std::pair<std::string, bool CommandOptions::*>> FLAGS{
    {"resume", &CommandOptions::resume},
    {"restart", &CommandOptions::restart},
    {"force", &CommandOptions::force},
    {"paths", &CommandOptions::paths},
    {"daydream", &CommandOptions::daydream},
    {"recompute", &CommandOptions::recompute},
    {"phases", &CommandOptions::phases},
    {"effects", &CommandOptions::effects},
    {"uncorrected", &CommandOptions::uncorrected}};

/// Options of each command.
const std::map<std::string, std::vector<std::string>> COMMAND_OPTIONS{
    {"run",
     {"engine",
      "set",
      "plugin",
      "out",
      "jobs",
      "ranks",
      "resume",
      "restart",
      "force",
      "emit-cases",
      "lines",
      "case",
      "study"}},
    {"run-rank", {"engine", "set", "plugin", "ranks", "case"}},
    {"merge", {"plugin", "out", "force"}},
    {"compare", {"out", "force"}},
    {"certify",
     {"minutes", "engine", "for", "set", "plugin", "out", "force", "jobs", "resume", "restart"}},
    {"match",
     {"engine",
      "set",
      "plugin",
      "horizon",
      "phases",
      "effects",
      "without",
      "budget",
      "jobs",
      "out",
      "force"}},
    {"check", {"engine", "set", "plugin", "out", "jobs", "ranks", "paths"}},
    {"init", {"out", "model", "batch-size", "force", "ns3-script"}},
    {"import",
     {"out",
      "order",
      "model",
      "batch-size",
      "idle",
      "clocks",
      "device",
      "worker",
      "sizes",
      "rate",
      "skip",
      "profile",
      "engine",
      "uncorrected",
      "force"}},
    {"fit-overhead", {"out", "worker", "rate", "sizes", "wire", "force"}},
    {"fit-server", {"cores", "out", "force", "set", "plugin", "jobs"}},
    {"order", {"policy", "rate"}},
    {"why", {"engine", "check", "jobs", "out"}},
    {"replay", {"queue", "daydream", "engine", "rate", "set"}},
    {"tune", {"keys", "trials", "engine", "set", "plugin", "jobs"}},
    {"optimize",
     {"out",
      "force",
      "engine",
      "check",
      "fused",
      "memory",
      "optimizer",
      "without",
      "set",
      "plugin",
      "jobs"}},
    {"learn", {"problem", "target", "learning-rate", "out"}},
    {"memory", {"batch", "optimizer", "recompute", "segments", "accumulate", "out"}},
    {"keys", {}},
};

/// @throws InputError if the command of @p options does not take option @p name
void
CheckBelongs(const CommandOptions& options, const std::string& name)
{
    const auto command = options.operands.empty() ? COMMAND_OPTIONS.end()
                                                  : COMMAND_OPTIONS.find(options.operands[0]);
    if (command == COMMAND_OPTIONS.end())
    {
        return; // the command itself is wrong
    }
    const auto& names = command->second;
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
        std::string accepted;
        for (const auto& known : names)
        {
            accepted += (accepted.empty() ? "--" : ", --") + known;
        }
        throw InputError("'" + command->first + "' has no option --" + name +
                         "; accepted: " + accepted);
    }
}

/// @return the number that @p value is; @throws InputError unless from @p min to @p max
uint32_t
ReadCount(const std::string& name, const std::string& value, uint32_t min, uint32_t max)
{
    uint32_t count = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (error != std::errc() || end != value.data() + value.size() || count < min || count > max)
    {
        throw InputError("--" + name + ": found '" + value + "'; accepted: an integer from " +
                         std::to_string(min) + " to " + std::to_string(max));
    }
    return count;
}

/// @return the numbers of "3,7-9", each once, sorted; @throws InputError if it is no such list
std::vector<uint32_t>
ReadNumbers(const std::string& name, const std::string& value)
{
    constexpr uint32_t HIGHEST = 9999999;
    std::set<uint32_t> numbers;
    std::istringstream items(value + ",");
    for (std::string item; std::getline(items, item, ',');)
    {
        const std::size_t dash = item.find('-');
        const uint32_t first = ReadCount(name, item.substr(0, dash), 0, HIGHEST);
        const uint32_t last = dash == std::string::npos
                                  ? first
                                  : ReadCount(name, item.substr(dash + 1), first, HIGHEST);
        for (uint32_t number = first; number <= last; ++number)
        {
            numbers.insert(number);
        }
    }
    return {numbers.begin(), numbers.end()};
}

/// @throws InputError if the value of an option is empty
void
CheckText(const std::string& name, const std::string& value, const std::string& accepted)
{
    if (value.empty())
    {
        throw InputError("--" + name + ": found nothing; accepted: " + accepted);
    }
}

/// Reads the value of an option called @c name.
using Setter =
    std::function<void(CommandOptions& options, const std::string& name, const std::string& value)>;

/// @return the member @p member of the options for importing
template <typename T>
auto
OfImport(T ImportOptions::*member)
{
    return [member](CommandOptions& options) -> T& { return options.import.*member; };
}

// Each makes the Setter of a member, which std::invoke(member, options) gives.

/// @param accepted in words: anything but nothing
template <typename Member>
Setter
Text(Member member, const std::string& accepted)
{
    return [=](CommandOptions& options, const std::string& name, const std::string& value) {
        CheckText(name, value, accepted);
        std::invoke(member, options) = value;
    };
}

/// @param min smallest number @param max largest number
template <typename Member>
Setter
Count(Member member, uint32_t min, uint32_t max)
{
    return [=](CommandOptions& options, const std::string& name, const std::string& value) {
        std::invoke(member, options) = ReadCount(name, value, min, max);
    };
}

/// @param choices words, each with what it means
template <typename Member, typename T>
Setter
Choice(Member member, const std::vector<std::pair<std::string, T>>& choices)
{
    return [=](CommandOptions& options, const std::string& name, const std::string& value) {
        std::vector<std::string> words;
        for (const auto& [word, meaning] : choices)
        {
            if (word == value)
            {
                std::invoke(member, options) = meaning;
                return;
            }
            words.push_back(word);
        }
        throw InputError("--" + name + ": found '" + value + "'; accepted: " + JoinWords(words));
    };
}

/// @param words that are accepted
template <typename Member>
Setter
Word(Member member, const std::vector<std::string>& words)
{
    std::vector<std::pair<std::string, std::string>> choices;
    for (const auto& word : words)
    {
        choices.emplace_back(word, word);
    }
    return Choice(member, choices);
}

/// Engines, which options keep under a name of NameEngines().
template <typename Member>
Setter
Engines(Member member)
{
    return [=](CommandOptions& options, const std::string& name, const std::string& value) {
        const auto engines = FindEngines(value);
        if (value == AUTO_ENGINE)
        {
            std::invoke(member, options) = value;
            return;
        }
        if (!engines)
        {
            throw InputError("--" + name + ": found '" + value +
                             "'; accepted: " + JoinWords(ListEngineChoices()) + ", " +
                             ENGINE_LISTS + ", or, of run, " + AUTO_ENGINE);
        }
        std::invoke(member, options) = NameEngines(*engines);
    };
}

/// @param parse reads a value, if it is one @param form what it accepts, in words
template <typename Member, typename Parse>
Setter
Quantity(Member member, Parse parse, std::string_view form)
{
    return [=](CommandOptions& options, const std::string& name, const std::string& value) {
        const auto quantity = parse(value);
        if (!quantity)
        {
            throw InputError("--" + name + ": found '" + value +
                             "'; accepted: " + std::string(form));
        }
        std::invoke(member, options) = *quantity;
    };
}

void
AddSetting(CommandOptions& options, const std::string& /* name */, const std::string& value)
{
    options.settings.push_back(value);
}

void
AddPlugin(CommandOptions& options, const std::string& name, const std::string& value)
{
    CheckText(name, value, "a shared library (.so)");
    options.plugins.push_back(value);
}

void
AddCases(CommandOptions& options, const std::string& name, const std::string& value)
{
    std::set<uint32_t> cases(options.cases.begin(), options.cases.end());
    const auto more = ReadNumbers(name, value);
    cases.insert(more.begin(), more.end());
    options.cases.assign(cases.begin(), cases.end());
}

/// @return sets a list of numbers from 1 up to @p most
Setter
Numbers(std::vector<uint32_t> CommandOptions::*member, uint32_t most)
{
    return [=](CommandOptions& options, const std::string& name, const std::string& value) {
        const auto refuse = [&] {
            throw InputError("--" + name + ": found '" + value + "'; accepted: numbers from 1 to " +
                             std::to_string(most) + ", such as 1,2,4 or 1-4");
        };
        try
        {
            options.*member = ReadNumbers(name, value);
        }
        catch (const InputError&)
        {
            refuse();
        }
        if ((options.*member).front() == 0 || (options.*member).back() > most)
        {
            refuse();
        }
    };
}

/// @return the number that @p value is, above 0 and at most @p most; nothing if it is no such
/// number
std::optional<double>
ParsePositive(const std::string& value, double most)
{
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool all = error == std::errc() && end == value.data() + value.size();
    return all && number > 0 && number <= most ? std::optional(number) : std::nullopt;
}

/// Most samples, steps and the like.
constexpr uint32_t BILLION = 1000000000;

/// Own options that take a value.
const std::vector<std::pair<std::string, Setter>> VALUE_OPTIONS{
    {"engine", Engines(&CommandOptions::engine)},
    {"set", AddSetting},
    {"plugin", AddPlugin},
    {"out", Text(&CommandOptions::out, "a path")},
    {"jobs", Count(&CommandOptions::jobs, 1, 1024)},
    {"emit-cases", Text(&CommandOptions::emitCases, "a path")},
    {"lines", Count(&CommandOptions::lines, 1, 10000000)},
    {"cores", Numbers(&CommandOptions::cores, MOST_CORES)},
    {"case", AddCases},
    {"study", Text(&CommandOptions::study, "the name that --emit-cases gave the study")},
    {"minutes", Count(&CommandOptions::minutes, 1, MOST_MINUTES)},
    {"for", Text(&CommandOptions::results, "a folder of results")},
    {"check", Word(&CommandOptions::check, {"none", "fair-share", "all", "host"})},
    {"ranks", Count(&CommandOptions::ranks, 1, 1024)},
    {"horizon", Numbers(&CommandOptions::horizons, MOST_HORIZON)},
    {"keys", Text(&CommandOptions::keys, "KEY=LOW..HIGH")},
    {"fused", Text(&CommandOptions::fused, "a time, or a CSV file")},
    {"memory", Quantity(&CommandOptions::memory, ParseSize, SIZE_FORM)},
    {"without", Text(&CommandOptions::without, "names with commas between them")},
    {"trials", Count(&CommandOptions::trials, 1, 100000)},
    {"budget", Count(&CommandOptions::budget, 1, BILLION)},
    {"batch", Count(&CommandOptions::batch, 1, BILLION)},
    {"optimizer", Word(&CommandOptions::optimizer, {"sgd", "momentum", "adam"})},
    {"segments", Text(&CommandOptions::segments, "a number, or names of forward ops")},
    {"accumulate", Count(&CommandOptions::accumulate, 1, BILLION)},
    {"ns3-script", Word(&CommandOptions::ns3Script, ListNs3Scripts())},
    {"queue", Word(&CommandOptions::queue, {"fifo", "dpro"})},
    {"policy", Word(&CommandOptions::policy, {"tic", "tac"})},
    {"problem", Word(&CommandOptions::problem, ListLearningProblems())},
    {"target",
     Quantity(
         &CommandOptions::target,
         [](const std::string& value) { return ParsePositive(value, std::nextafter(1.0, 0.0)); },
         "a number above 0, below 1")},
    {"learning-rate",
     Quantity(
         &CommandOptions::learningRate,
         [](const std::string& value) { return ParsePositive(value, 1e6); },
         "a number above 0, at most 1000000")},
    {"rate", Quantity(&CommandOptions::rate, ParseBitRate, RATE_FORM)},
    {"sizes", Text(&CommandOptions::sizes, "a profile")},
    {"wire", Text(&CommandOptions::wire, "a CSV file")},
    {"model", Text(OfImport(&ImportOptions::model), "the name of a model")},
    {"batch-size", Count(OfImport(&ImportOptions::batchSize), 1, BILLION)},
    {"device", Text(OfImport(&ImportOptions::device), "the name of a device")},
    {"worker", Text(OfImport(&ImportOptions::worker), "a worker of the trace")},
    {"profile", Text(OfImport(&ImportOptions::profile), "a profile")},
    {"skip", Count(OfImport(&ImportOptions::skip), 0, BILLION)},
    {"order",
     Choice(
         OfImport(&ImportOptions::order),
         std::vector<std::pair<std::string, ComputeOrder>>{{"dataflow", ComputeOrder::DATAFLOW},
                                                           {"measured", ComputeOrder::MEASURED}})},
    {"idle",
     Choice(OfImport(&ImportOptions::idle),
            std::vector<std::pair<std::string, IdleTime>>{{"keep", IdleTime::KEEP},
                                                          {"drop", IdleTime::DROP}})},
    {"clocks",
     Choice(OfImport(&ImportOptions::clocks),
            std::vector<std::pair<std::string, TraceClocks>>{{"aligned", TraceClocks::ALIGNED},
                                                             {"recorded", TraceClocks::RECORDED}})},
};

/// @return names of all options, for messages and suggestions
std::vector<std::string>
ListOptions()
{
    std::vector<std::string> names;
    for (const auto& flag : FLAGS)
    {
        names.push_back(flag.first);
    }
    for (const auto& option : VALUE_OPTIONS)
    {
        names.push_back(option.first);
    }
    return names;
}

} // namespace

// Why no library reads it: with CLI11 2.1, "--out= x" writes to x, "--force=no" is accepted, and an
// operand "[a]" becomes "a".
CommandOptions
ReadCommandLine(const std::vector<std::string>& arguments)
{
    CommandOptions options;
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    options.help = std::any_of(arguments.begin(), end, [](const std::string& argument) {
        return argument == "-h" || argument == "--help";
    });
    options.version = !arguments.empty() && arguments.front() == "--version";
    if (options.help || options.version)
    {
        const bool command = !arguments.empty() && arguments.front().substr(0, 1) != "-";
        options.operands.assign(arguments.begin(), arguments.begin() + (command ? 1 : 0));
        return options; // whatever else is asked, or wrong
    }
    for (std::size_t i = 0; i < arguments.size(); ++i)
    {
        const std::string& argument = arguments[i];
        if (argument == "--")
        {
            options.operands.insert(options.operands.end(),
                                    arguments.begin() + i + 1,
                                    arguments.end());
            break;
        }
        if (argument.size() < 2 || argument[0] != '-')
        {
            options.operands.push_back(argument);
            continue;
        }
        const std::size_t equals = argument.find('=');
        std::string name = argument.substr(0, equals);
        name =
            name == "-o" ? "out" : name.substr(std::min(name.find_first_not_of('-'), name.size()));
        const auto flag = std::find_if(FLAGS.begin(), FLAGS.end(), [&](const auto& known) {
            return known.first == name;
        });
        if (flag != FLAGS.end())
        {
            if (equals != std::string::npos)
            {
                throw InputError("--" + name + " takes no value; accepted: --" + name);
            }
            options.*flag->second = true;
            options.given.insert(name);
            continue;
        }
        const auto option = std::find_if(VALUE_OPTIONS.begin(),
                                         VALUE_OPTIONS.end(),
                                         [&](const auto& known) { return known.first == name; });
        if (option == VALUE_OPTIONS.end())
        {
            const std::string meant = Suggest(name, ListOptions());
            throw InputError("unknown option '" + argument + "'" +
                             (meant.empty() ? "; accepted are those that 'dml --help' lists"
                                            : "; did you mean '--" + meant + "'?"));
        }
        if (equals == std::string::npos && i + 1 == arguments.size())
        {
            throw InputError(argument + " needs a value");
        }
        options.given.insert(name);
        option->second(options,
                       name,
                       equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1));
    }
    for (const auto& name : options.given)
    {
        CheckBelongs(options, name);
    }
    if (options.engine == AUTO_ENGINE && !options.operands.empty() &&
        options.operands[0] != "run" && COMMAND_OPTIONS.count(options.operands[0]) > 0)
    {
        throw InputError("'" + options.operands[0] + "' has no --engine " + AUTO_ENGINE +
                         ", which chooses what runs; accepted: " + JoinWords(ListEngineChoices()) +
                         ", or " + ENGINE_LISTS);
    }
    options.import.rate = options.rate;
    if (options.resume && options.restart)
    {
        throw InputError("found --resume and --restart; accepted: one of them");
    }
    return options;
}

} // namespace ns3::dml
