/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-progress-line.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

std::string
PercentText(double fraction)
{
    // down, so that 100 % means done; the tiny sum makes 0.14 show as 14
    return std::to_string(static_cast<int>(100 * fraction + 1e-9)) + " %";
}

} // namespace

ProgressLine::ProgressLine(std::vector<std::string> labels, std::vector<double> costs)
    : m_labels(std::move(labels)),
      m_costs(std::move(costs)),
      m_terminal(isatty(STDERR_FILENO) == 1),
      m_start(std::chrono::steady_clock::now())
{
}

ProgressLine::~ProgressLine()
{
    Clear();
}

void
ProgressLine::Show(const std::vector<double>& fractions)
{
    if (m_terminal)
    {
        const double elapsed =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
        std::fprintf(stderr, "\r\033[K%s", Format(fractions, elapsed).c_str());
        std::fflush(stderr);
        m_shown = true;
    }
}

void
ProgressLine::Clear()
{
    if (m_shown)
    {
        std::fprintf(stderr, "\r\033[K");
        std::fflush(stderr);
        m_shown = false;
    }
}

std::string
ProgressLine::Format(const std::vector<double>& fractions, double elapsed) const
{
    constexpr std::size_t WIDTH = 79;
    double done = 0;
    double total = 0;
    for (std::size_t i = 0; i < m_costs.size(); ++i)
    {
        done += m_costs[i] * fractions[i];
        total += m_costs[i];
    }
    const double fraction = total > 0 ? done / total : 1;
    std::string text = PercentText(fraction);
    // the first moments say little about the rest
    if (elapsed > 2 && fraction > 0.005)
    {
        text += ", " + FormatDuration(elapsed * (1 - fraction) / fraction) + " left";
    }
    for (std::size_t i = 0; i < fractions.size(); ++i)
    {
        if (fractions[i] > 0 && fractions[i] < 1)
        {
            text += " | " + m_labels[i] + ": " + PercentText(fractions[i]);
        }
    }
    return text.substr(0, WIDTH);
}

std::string
FormatDuration(double seconds)
{
    const long s = std::lround(std::max(0.0, seconds));
    char text[32];
    if (s < 60)
    {
        std::snprintf(text, sizeof text, "%ld s", s);
    }
    else if (s < 3600)
    {
        std::snprintf(text, sizeof text, "%ld min %02ld s", s / 60, s % 60);
    }
    else
    {
        std::snprintf(text, sizeof text, "%ld h %02ld min", s / 3600, s % 3600 / 60);
    }
    return text;
}

} // namespace dml
} // namespace ns3
