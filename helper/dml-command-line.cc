/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-command-line.h"

#include "ns3/command-line.h"
#include "ns3/dml-error.h"
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
const std::vector<std::string> VALUE_OPTIONS{"engine", "set", "out", "jobs", "order"};

/// True for what ns-3's CommandLine knows itself.
bool
IsNs3Option(const std::string& name)
{
    return name.rfind("ns3::", 0) == 0 || name.rfind("Print", 0) == 0 ||
           name.rfind("Rng", 0) == 0 || name.rfind("Scheduler", 0) == 0 ||
           name.rfind("SimulatorImpl", 0) == 0 || name == "ChecksumEnabled";
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
}

} // namespace

CommandOptions
ReadCommandLine(const std::vector<std::string>& arguments)
{
    CommandOptions options;
    std::vector<std::string> forNs3{"dml"};
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
        if (IsNs3Option(name))
        {
            forNs3.push_back(argument);
            continue;
        }
        if (std::find(VALUE_OPTIONS.begin(), VALUE_OPTIONS.end(), name) == VALUE_OPTIONS.end())
        {
            const std::string meant = Suggest(name, VALUE_OPTIONS);
            throw InputError("unknown option '" + argument + "'" +
                             AcceptedText(meant.empty() ? "" : "--" + meant,
                                          "--engine, --set, --out, --jobs, --order, --help"));
        }
        if (equals == std::string::npos && i + 1 == arguments.size())
        {
            throw InputError(argument + " needs a value");
        }
        SetOption(options,
                  name,
                  equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1));
    }
    if (forNs3.size() > 1)
    {
        CommandLine ns3CommandLine;
        ns3CommandLine.Parse(forNs3);
    }
    return options;
}

} // namespace dml
} // namespace ns3
