/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-program.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace ns3::dml
{

namespace
{

constexpr std::chrono::seconds HOST_PROGRAM_LIMIT{20};
constexpr std::size_t MOST_HOST_OUTPUT = 16000000; //!< tc tells of a thousand queues in half a MB

/// @return the input's line that "Command failed -:LINE" in the output is about, or nothing
std::string
FindFailedLine(const std::string& output, const std::string& input)
{
    const std::string words = "Command failed -:";
    const auto found = output.find(words);
    if (found == std::string::npos)
    {
        return "";
    }
    unsigned number = 0;
    std::istringstream(output.substr(found + words.size())) >> number;
    std::istringstream lines(input);
    std::string line;
    while (number-- > 0 && std::getline(lines, line))
    {
    }
    return line;
}

} // namespace

std::string
FindHostProgram(const std::string& name)
{
    const std::string path = FindProgram(name, "/usr/sbin:/sbin:/usr/bin:/bin");
    if (path.empty())
    {
        throw RunError("the host engine needs the program " + name +
                       ": install the Debian package iproute2");
    }
    return path;
}

ChildProgramEnd
TryHostProgram(const std::string& program,
               const std::vector<std::string>& arguments,
               const std::string& input)
{
    std::vector<std::string> command{program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunProgram(command, "/", {"LC_ALL=C"}, HOST_PROGRAM_LIMIT, {input, MOST_HOST_OUTPUT});
}

std::string
RunHostProgram(const std::string& program,
               const std::vector<std::string>& arguments,
               const std::string& input)
{
    ChildProgramEnd end = TryHostProgram(program, arguments, input);
    if (end.timeout || end.status != 0)
    {
        const std::string line = FindFailedLine(end.output, input);
        end.output.resize(std::min<std::size_t>(end.output.size(), 1000));
        throw RunError(program + (line.empty() ? "" : " \"" + line + "\"") +
                       (end.timeout ? " took longer than 20 s" : " failed") +
                       (end.output.empty() ? "" : ": " + end.output));
    }
    return end.output;
}

} // namespace ns3::dml
