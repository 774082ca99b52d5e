/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kernel-tcp-counts.h"

#include "ns3/dml-error.h"

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace ns3::dml
{

namespace
{

constexpr const char* COUNTERS = "/proc/thread-self/net/netstat";

} // namespace

KernelTcpCounts
ParseKernelTcpCounts(const std::string& text)
{
    std::map<std::string, uint64_t> counters;
    std::istringstream lines(text);
    std::string names;
    std::string values;
    while (std::getline(lines, names) && std::getline(lines, values))
    {
        std::istringstream nameWords(names);
        std::istringstream valueWords(values);
        std::string name;
        nameWords >> name;
        valueWords >> name;
        if (name != "TcpExt:")
        {
            continue;
        }
        for (uint64_t value = 0; nameWords >> name && valueWords >> value;)
        {
            counters[name] = value;
        }
    }
    if (counters.count("TCPTimeouts") == 0 || counters.count("TCPSackRecovery") == 0)
    {
        throw RunError(std::string("host engine: ") + COUNTERS +
                       " has no TCPTimeouts and TCPSackRecovery, as kernels of Linux write them");
    }
    return {counters["TCPTimeouts"], counters["TCPSackRecovery"] + counters["TCPRenoRecovery"]};
}

KernelTcpCounts
ReadKernelTcpCounts()
{
    std::ifstream file(COUNTERS);
    return ParseKernelTcpCounts({std::istreambuf_iterator<char>(file), {}});
}

} // namespace ns3::dml
