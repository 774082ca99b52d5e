/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-command-line.h"

#include "ns3/dml-error.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

namespace ns3
{
namespace dml
{

namespace
{

/// Of a server, for --cores: each number is a fit.
constexpr uint32_t MOST_CORES = 64;

/// Own options without a value.
const std::vector<std::pair<std::string, bool CommandOptions::*>> FLAGS{
    {"resume", &CommandOptions::resume},
    {"restart", &CommandOptions::restart},
    {"force", &CommandOptions::force},
    {"daydream", &CommandOptions::daydream},
    {"recompute", &CommandOptions::recompute},
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
    {"check", {"engine", "set", "plugin", "out", "jobs", "ranks"}},
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
      "engine",
      "check",
      "fused",
      "memory",
      "optimizer",
      "without",
      "set",
      "plugin",
      "jobs"}},
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

/// @return @p value; @throws InputError if it is empty
const std::string&
ReadText(const std::string& name, const std::string& value, const char* accepted)
{
    if (value.empty())
    {
        throw InputError("--" + name + ": found nothing; accepted: " + accepted);
    }
    return value;
}

/// @return @p value; @throws InputError unless it is one of @p choices
const std::string&
ReadChoice(const std::string& name,
           const std::string& value,
           const std::vector<std::string>& choices)
{
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
    {
        throw InputError("--" + name + ": found '" + value + "'; accepted: " + JoinWords(choices));
    }
    return value;
}

uint64_t
ReadRate(const std::string& name, const std::string& value)
{
    const auto rate = ParseBitRate(value);
    if (!rate)
    {
        throw InputError("--" + name + ": found '" + value +
                         "'; accepted: " + std::string(RATE_FORM));
    }
    return *rate;
}

uint64_t
ReadSize(const std::string& name, const std::string& value)
{
    const auto bytes = ParseSize(value);
    if (!bytes)
    {
        throw InputError("--" + name + ": found '" + value +
                         "'; accepted: " + std::string(SIZE_FORM));
    }
    return *bytes;
}

/// Reads the value of an option called @c name.
using Setter = void (*)(CommandOptions& options, const std::string& name, const std::string& value);

/// Own options that take a value.
const std::vector<std::pair<std::string, Setter>> VALUE_OPTIONS{
    {"engine",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.engine = ReadChoice(name, value, ListEngineChoices());
     }},
    {"set",
     [](CommandOptions& options, const std::string&, const std::string& value) {
         options.settings.push_back(value);
     }},
    {"plugin",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.plugins.push_back(ReadText(name, value, "a shared library (.so)"));
     }},
    {"out",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.out = ReadText(name, value, "a path");
     }},
    {"jobs",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.jobs = ReadCount(name, value, 1, 1024);
     }},
    {"emit-cases",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.emitCases = ReadText(name, value, "a path");
     }},
    {"lines",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.lines = ReadCount(name, value, 1, 10000000);
     }},
    {"cores",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         const auto refuse = [&value] {
             throw InputError("--cores: found '" + value + "'; accepted: numbers from 1 to " +
                              std::to_string(MOST_CORES) + ", such as 1,2,4 or 1-4");
         };
         try
         {
             options.cores = ReadNumbers(name, value);
         }
         catch (const InputError&)
         {
             refuse();
         }
         if (options.cores.front() == 0 || options.cores.back() > MOST_CORES)
         {
             refuse();
         }
     }},
    {"case",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         std::set<uint32_t> cases(options.cases.begin(), options.cases.end());
         const auto more = ReadNumbers(name, value);
         cases.insert(more.begin(), more.end());
         options.cases.assign(cases.begin(), cases.end());
     }},
    {"study",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.study = ReadText(name, value, "the name that --emit-cases gave the study");
     }},
    {"check",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.check = ReadChoice(name, value, {"none", "fair-share", "all", "host"});
     }},
    {"ranks",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.ranks = ReadCount(name, value, 1, 1024);
     }},
    {"order",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.order = ReadChoice(name, value, {"dataflow", "measured"}) == "measured"
                                    ? ComputeOrder::MEASURED
                                    : ComputeOrder::DATAFLOW;
     }},
    {"keys",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.keys = ReadText(name, value, "KEY=LOW..HIGH");
     }},
    {"fused",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.fused = ReadText(name, value, "a time, or a CSV file");
     }},
    {"memory",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.memory = ReadSize(name, value);
     }},
    {"without",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.without = ReadText(name, value, "coarse, partial, symmetry");
     }},
    {"trials",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.trials = ReadCount(name, value, 1, 100000);
     }},
    {"batch",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.batch = ReadCount(name, value, 1, 1000000000);
     }},
    {"optimizer",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.optimizer = ReadChoice(name, value, {"sgd", "momentum", "adam"});
     }},
    {"segments",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.segments = ReadText(name, value, "a number, or names of forward ops");
     }},
    {"accumulate",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.accumulate = ReadCount(name, value, 1, 1000000000);
     }},
    {"queue",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.queue = ReadChoice(name, value, {"fifo", "dpro"});
     }},
    {"policy",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.policy = ReadChoice(name, value, {"tic", "tac"});
     }},
    {"rate",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.rate = options.import.rate = ReadRate(name, value);
     }},
    {"model",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.model = ReadText(name, value, "the name of a model");
     }},
    {"batch-size",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.batchSize = ReadCount(name, value, 1, 1000000000);
     }},
    {"idle",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.idle =
             ReadChoice(name, value, {"keep", "drop"}) == "keep" ? IdleTime::KEEP : IdleTime::DROP;
     }},
    {"clocks",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.clocks = ReadChoice(name, value, {"aligned", "recorded"}) == "aligned"
                                     ? TraceClocks::ALIGNED
                                     : TraceClocks::RECORDED;
     }},
    {"device",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.device = ReadText(name, value, "the name of a device");
     }},
    {"worker",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.worker = ReadText(name, value, "a worker of the trace");
     }},
    {"sizes",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.sizes = ReadText(name, value, "a profile");
     }},
    {"profile",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.profile = ReadText(name, value, "a profile");
     }},
    {"skip",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.import.skip = ReadCount(name, value, 0, 1000000000);
     }},
    {"wire",
     [](CommandOptions& options, const std::string& name, const std::string& value) {
         options.wire = ReadText(name, value, "a CSV file");
     }},
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
    if (options.resume && options.restart)
    {
        throw InputError("found --resume and --restart; accepted: one of them");
    }
    return options;
}

} // namespace dml
} // namespace ns3
