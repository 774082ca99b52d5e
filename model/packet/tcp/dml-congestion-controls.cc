/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-congestion-controls.h"

#include "dml-linux-cubic.h"

#include "ns3/tcp-bbr.h"
#include "ns3/tcp-bic.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-highspeed.h"
#include "ns3/tcp-htcp.h"
#include "ns3/tcp-illinois.h"
#include "ns3/tcp-linux-reno.h"
#include "ns3/tcp-scalable.h"
#include "ns3/tcp-vegas.h"
#include "ns3/tcp-veno.h"
#include "ns3/tcp-yeah.h"

#include <optional>

namespace ns3::dml
{

namespace
{

/// @return whether a congestion control is of a class, or of one that derives from it
bool
IsControl(const PluginSpec& control, TypeId base)
{
    const TypeId type = CongestionControls().MakeFactory(control).GetTypeId();
    return type == base || type.IsChildOf(base);
}

} // namespace

const PluginKind&
CongestionControls()
{
    // names of classes that are the same in ns-3.37 and later, unlike Westwood; without Hybla:
    // ns-3 rounds its ratio of round-trip times to whole milliseconds, so it stops, or never grows,
    // below one
    static const PluginKind KIND("congestion control",
                                 &TcpCongestionOps::GetTypeId,
                                 {{"cubic", &LinuxCubic::GetTypeId, {}},
                                  {"bbr", &TcpBbr::GetTypeId, {}},
                                  {"dctcp", &TcpDctcp::GetTypeId, {}},
                                  {"linux-reno", &TcpLinuxReno::GetTypeId, {}},
                                  {"new-reno", &TcpNewReno::GetTypeId, {}},
                                  {"bic", &TcpBic::GetTypeId, {}},
                                  {"highspeed", &TcpHighSpeed::GetTypeId, {}},
                                  {"htcp", &TcpHtcp::GetTypeId, {}},
                                  {"illinois", &TcpIllinois::GetTypeId, {}},
                                  {"scalable", &TcpScalable::GetTypeId, {}},
                                  {"vegas", &TcpVegas::GetTypeId, {}},
                                  {"veno", &TcpVeno::GetTypeId, {}},
                                  {"yeah", &TcpYeah::GetTypeId, {}}});
    return KIND;
}

bool
IsDctcp(const PluginSpec& control)
{
    return IsControl(control, TcpDctcp::GetTypeId());
}

bool
IsBbr(const PluginSpec& control)
{
    return IsControl(control, TcpBbr::GetTypeId());
}

CongestionChoice
ChooseCongestion(const NetworkSpec& spec, const std::vector<TrainingRun>& jobs)
{
    std::vector<std::optional<PluginSpec>> controls;
    for (const auto& job : jobs)
    {
        controls.push_back(job.tcp);
    }
    return ChooseCongestion(spec, controls);
}

Time
DefaultDelayedAckTimeout(const PluginSpec& control)
{
    return IsBbr(control) ? Time(0) : MilliSeconds(40);
}

} // namespace ns3::dml
