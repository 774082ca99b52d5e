/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-variants.h"

#include "ns3/dml-error.h"
#include "ns3/dml-suggestion.h"

#include <array>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Congestion controls under names that are the same in ns-3.37 and later (unlike Westwood).
/// Without Hybla: ns-3 rounds its ratio of round-trip times to whole milliseconds, so it stops, or
/// never grows, below one.
constexpr std::array<std::pair<const char*, const char*>, 13> VARIANTS{{
    {"cubic", "ns3::dml::LinuxCubic"},
    {"bbr", "ns3::TcpBbr"},
    {"dctcp", "ns3::TcpDctcp"},
    {"linux-reno", "ns3::TcpLinuxReno"},
    {"new-reno", "ns3::TcpNewReno"},
    {"bic", "ns3::TcpBic"},
    {"highspeed", "ns3::TcpHighSpeed"},
    {"htcp", "ns3::TcpHtcp"},
    {"illinois", "ns3::TcpIllinois"},
    {"scalable", "ns3::TcpScalable"},
    {"vegas", "ns3::TcpVegas"},
    {"veno", "ns3::TcpVeno"},
    {"yeah", "ns3::TcpYeah"},
}};

} // namespace

std::vector<std::string>
TcpVariantNames()
{
    std::vector<std::string> names;
    for (const auto& variant : VARIANTS)
    {
        names.emplace_back(variant.first);
    }
    return names;
}

std::string
TcpVariantTypeId(const std::string& name)
{
    for (const auto& variant : VARIANTS)
    {
        if (name == variant.first)
        {
            return variant.second;
        }
    }
    throw InputError("network.tcp: found \"" + name +
                     "\"; accepted: " + JoinWords(TcpVariantNames()));
}

Time
DefaultDelayedAckTimeout(const std::string& variant)
{
    return variant == "bbr" ? Time(0) : MilliSeconds(40);
}

} // namespace ns3::dml
