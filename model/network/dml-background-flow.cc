/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-background-flow.h"

#include "ns3/dml-error.h"

#include <cmath>
#include <string>

namespace ns3::dml
{

namespace
{

void
Require(bool good, uint32_t number, const std::string& what, double found, const char* accepted)
{
    if (!good)
    {
        throw InputError("background flow " + std::to_string(number) + ": " + what + ": found " +
                         std::to_string(found) + "; accepted: " + accepted);
    }
}

} // namespace

void
BackgroundFlow::Check(uint32_t number) const
{
    Require(start >= 0 && std::isfinite(start), number, "start", start, "seconds from 0");
    Require(stop > start, number, "stop", stop, "a time after its start");
    Require(rate >= 0 && std::isfinite(rate), number, "rate", rate, "bytes per second from 0");
    Require(bytes >= 0 && std::isfinite(bytes), number, "bytes", bytes, "bytes from 0");
    Require(seed >= 1 && seed <= MAX_SEED, number, "seed", seed, "an integer from 1 to 4294944442");
    if (kind == Kind::CONSTANT)
    {
        Require(rate > 0, number, "rate", rate, "bytes per second above 0");
    }
    if (kind == Kind::BULK)
    {
        Require(rate == 0, number, "rate", rate, "0, for a flow as fast as it may");
    }
    if (kind == Kind::ON_OFF)
    {
        for (const auto& [name, mean] : {std::pair{"on", on}, std::pair{"off", off}})
        {
            Require(mean >= LEAST_PERIOD * (1 - 1e-9) && std::isfinite(mean),
                    number,
                    name,
                    mean,
                    "seconds from 1e-6");
        }
    }
}

OnOffTimes::OnOffTimes(const BackgroundFlow& flow)
    : m_means{flow.on, flow.off},
      m_exponential(flow.exponential),
      m_random(flow.seed, STREAM_BASE + flow.index, flow.replication)
{
}

double
OnOffTimes::Next()
{
    const double mean = m_means[m_period++ % 2];
    if (!m_exponential)
    {
        return mean;
    }
    return -mean * std::log1p(-m_random.RandU01());
}

BackgroundFlow
MakeBackgroundFlow(const BackgroundSpec& spec, uint32_t index, uint32_t seed, uint32_t replication)
{
    BackgroundFlow flow;
    switch (spec.kind)
    {
    case BackgroundSpec::Kind::CONSTANT:
        flow.kind = BackgroundFlow::Kind::CONSTANT;
        break;
    case BackgroundSpec::Kind::ON_OFF:
        flow.kind = BackgroundFlow::Kind::ON_OFF;
        break;
    case BackgroundSpec::Kind::BULK:
        flow.kind = BackgroundFlow::Kind::BULK;
        break;
    }
    const bool bulk = spec.kind == BackgroundSpec::Kind::BULK;
    flow.start = spec.start.GetSeconds();
    flow.stop = spec.stop == Time::Max() ? BackgroundFlow::NEVER : spec.stop.GetSeconds();
    flow.rate = bulk ? 0 : spec.rate.GetBitRate() / 8.0;
    flow.bytes = spec.bytes;
    flow.on = spec.on.GetSeconds();
    flow.off = spec.off.GetSeconds();
    flow.exponential = spec.exponential;
    flow.seed = seed;
    flow.index = index;
    flow.replication = replication;
    return flow;
}

} // namespace ns3::dml
