/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-command-line.h"

#include "ns3/dml-error.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/dml-yaml-suggestion.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace ns3
{
namespace dml
{

namespace
{

/// Own options that take a value.
const std::vector<std::string> VALUE_OPTIONS{
    "engine", "set", "out", "jobs", "order", "policy", "rate"};

/// Own options without a value.
const std::vector<std::string> FLAGS{"resume", "restart"};

/// Options of each command.
const std::map<std::string, std::vector<std::string>> COMMAND_OPTIONS{
    {"run", {"engine", "set", "out", "jobs", "resume", "restart"}},
    {"check", {"engine", "set", "out", "jobs"}},
    {"import", {"out", "order"}},
    {"order", {"policy", "rate"}},
};

/// @throws InputError if the command of @p options does not take option @p name
void
CheckBelongs(const CommandOptions& options, const std::string& name)
{
    const auto command =
        options.operands.empty() ? COMMAND_OPTIONS.end() : COMMAND_OPTIONS.find(options.operands[0]);
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

uint32_t
ReadJobs(const std::string& text)
{
    uint32_t jobs = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), jobs);
    if (error != std::errc() || end != text.data() + text.size() || jobs < 1 || jobs > 1024)
    {
        throw InputError("--jobs: found '" + text + "'; accepted: an integer from 1 to 1024");
    }
    return jobs;
}

void
SetOption(CommandOptions& options, const std::string& name, const std::string& value)
{
    if (name == "set")
    {
        options.settings.push_back(value);
    }
    else if (name == "jobs")
    {
        options.jobs = ReadJobs(value);
    }
    else if (name == "out")
    {
        if (value.empty())
        {
            throw InputError("--out: found nothing; accepted: a path");
        }
        options.out = value;
    }
    else if (name == "engine")
    {
        if (value != "fair-share" && value != "packet" && value != "both")
        {
            throw InputError("--engine: found '" + value +
                             "'; accepted: fair-share, packet, both");
        }
        options.engine = value;
    }
    else if (name == "order")
    {
        if (value != "dataflow" && value != "measured")
        {
            throw InputError("--order: found '" + value + "'; accepted: dataflow, measured");
        }
        options.order = value;
    }
    else if (name == "policy")
    {
        if (value != "tic" && value != "tac")
        {
            throw InputError("--policy: found '" + value + "'; accepted: tic, tac");
        }
        options.policy = value;
    }
    else if (name == "rate")
    {
        const auto rate = ParseBitRate(value);
        if (!rate)
        {
            throw InputError("--rate: found '" + value + "'; accepted: " + std::string(RATE_FORM));
        }
        options.rate = *rate;
    }
}

} // namespace

CommandOptions
ReadCommandLine(const std::vector<std::string>& arguments)
{
    CommandOptions options;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < arguments.size(); ++i)
    {
        const std::string& argument = arguments[i];
        if (argument == "-h" || argument == "--help")
        {
            options.help = true;
            continue;
        }
        if (argument.size() < 2 || argument[0] != '-')
        {
            options.operands.push_back(argument);
            continue;
        }
        const std::size_t equals = argument.find('=');
        std::string name = argument.substr(0, equals);
        name = name == "-o" ? "out" : name.substr(std::min(name.find_first_not_of('-'), name.size()));
        if (std::find(FLAGS.begin(), FLAGS.end(), name) != FLAGS.end())
        {
            if (equals != std::string::npos)
            {
                throw InputError("--" + name + " takes no value; accepted: --" + name);
            }
            (name == "resume" ? options.resume : options.restart) = true;
            names.push_back(name);
            continue;
        }
        if (std::find(VALUE_OPTIONS.begin(), VALUE_OPTIONS.end(), name) == VALUE_OPTIONS.end())
        {
            std::vector<std::string> known = VALUE_OPTIONS;
            known.insert(known.end(), FLAGS.begin(), FLAGS.end());
            const std::string meant = Suggest(name, known);
            throw InputError("unknown option '" + argument + "'" +
                             AcceptedText(meant.empty() ? "" : "--" + meant,
                                          "--engine, --set, --out, --jobs, --resume, --restart, "
                                          "--order, --policy, --rate, --help"));
        }
        if (equals == std::string::npos && i + 1 == arguments.size())
        {
            throw InputError(argument + " needs a value");
        }
        names.push_back(name);
        SetOption(options,
                  name,
                  equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1));
    }
    for (const auto& name : names)
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
