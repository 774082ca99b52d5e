/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-progress-board.h"

#include "ns3/dml-terminal-text.h"
#include "ns3/dml-yaml-node.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/core.h>
#include <numeric>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::size_t WIDEST = 79;   //!< characters of a line
constexpr std::size_t BAR = 12;      //!< marks in a run's bar
constexpr std::size_t SHORTEST = 20; //!< characters of a label that are always shown
constexpr double LONG_ENOUGH = 2;    //!< the first seconds say little about the rest
constexpr double FAR_ENOUGH = 0.005; //!< as do the first moments of a long task

std::string
FormatPercent(double fraction)
{
    // down, so that 100 % means done; the tiny sum makes 0.14 show as 14
    return std::to_string(static_cast<int>(100 * fraction + 1e-9)) + " %";
}

/// @return ", 3 min 20 s left", or nothing while that cannot be told
std::string
FormatRest(double fraction, double seconds)
{
    return seconds > LONG_ENOUGH && fraction > FAR_ENOUGH
               ? ", " + FormatDuration(seconds * (1 - fraction) / fraction) + " left"
               : "";
}

bool
StartsCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

/// @param text UTF-8 @return it, cut to @p width characters or filled up
std::string
Fit(const std::string& text, std::size_t width)
{
    const std::size_t length = std::count_if(text.begin(), text.end(), StartsCharacter);
    if (length <= width)
    {
        return text + std::string(width - length, ' ');
    }
    std::size_t at = 0;
    for (std::size_t left = width - 2; at < text.size(); ++at)
    {
        if (StartsCharacter(text[at]) && left-- == 0)
        {
            break;
        }
    }
    return text.substr(0, at) + "..";
}

} // namespace

ProgressBoard::ProgressBoard(std::vector<double> costs, Label label, double interval)
    : m_costs(std::move(costs)),
      m_label(std::move(label)),
      m_total(std::accumulate(m_costs.begin(), m_costs.end(), 0.0)),
      m_interval(interval),
      m_nextLine(interval),
      m_terminal(IsTerminal(STDERR_FILENO)),
      m_start(std::chrono::steady_clock::now())
{
}

ProgressBoard::~ProgressBoard()
{
    Clear();
}

void
ProgressBoard::SetDone(uint32_t task)
{
    m_doneCosts += m_costs[task];
    ++m_doneTasks;
}

void
ProgressBoard::Show(const std::vector<ProcessPool::Running>& running)
{
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    if (!m_terminal)
    {
        ShowStates(running);
        if (elapsed >= m_nextLine)
        {
            m_nextLine = elapsed + m_interval;
            std::fprintf(stderr, "%s\n", Format(running, elapsed, WIDEST, 1).back().c_str());
        }
        return;
    }
    winsize size = {};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    // a full last column, or line, would make some terminals scroll
    const auto lines = Format(running,
                              elapsed,
                              known ? size.ws_col - 1 : WIDEST,
                              known ? std::max(1, size.ws_row - 1) : 24);
    std::string text = "\r";
    text += m_shown > 1 ? "\033[" + std::to_string(m_shown - 1) + "A" : "";
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        text += (i > 0 ? "\n" : "") + lines[i] + "\033[K";
    }
    text += "\033[J";
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
    m_shown = lines.size();
}

/// Says once of each run that it waits.
void
ProgressBoard::ShowStates(const std::vector<ProcessPool::Running>& running)
{
    for (const auto& run : running)
    {
        if (!run.state.empty() && m_waiting.insert(run.task).second)
        {
            std::fprintf(stderr,
                         "%s: %s\n",
                         PrintableText(m_label(run.task)).c_str(),
                         PrintableText(run.state).c_str());
        }
    }
}

void
ProgressBoard::Clear()
{
    if (m_shown > 0)
    {
        const std::string up = m_shown > 1 ? "\033[" + std::to_string(m_shown - 1) + "A" : "";
        std::fprintf(stderr, "\r%s\033[J", up.c_str());
        std::fflush(stderr);
        m_shown = 0;
    }
}

std::string
ProgressBoard::FormatRun(const ProcessPool::Running& run, std::size_t width) const
{
    if (!run.state.empty())
    {
        return PrintableText(m_label(run.task) + ": " + run.state);
    }
    const std::size_t marks = std::min<std::size_t>(BAR, BAR * run.fraction);
    const std::string percent = FormatPercent(run.fraction);
    const std::string state = "[" + std::string(marks, '#') + std::string(BAR - marks, '-') + "] " +
                              std::string(5 - std::min<std::size_t>(5, percent.size()), ' ') +
                              percent + FormatRest(run.fraction, run.seconds);
    constexpr std::size_t STATE = BAR + 2 + 6 + 18; // ", 99 h 59 min left"
    const std::size_t label = std::max(SHORTEST, width - std::min(width, STATE + 1));
    return Fit(PrintableText(m_label(run.task)), label) + " " + state;
}

std::vector<std::string>
ProgressBoard::Format(const std::vector<ProcessPool::Running>& running,
                      double elapsed,
                      std::size_t width,
                      std::size_t height) const
{
    width = std::min(width, WIDEST);
    double done = m_doneCosts;
    for (const auto& run : running)
    {
        done += m_costs[run.task] * run.fraction;
    }
    const double fraction = m_total > 0 ? std::min(1.0, done / m_total) : 1;
    std::vector<std::string> lines;
    const std::size_t room = std::max<std::size_t>(1, height) - 1;
    const std::size_t shown =
        running.size() <= room ? running.size() : std::max<std::size_t>(room, 1) - 1;
    for (std::size_t i = 0; i < shown; ++i)
    {
        lines.push_back(FormatRun(running[i], width));
    }
    if (shown < running.size() && room > 0)
    {
        lines.push_back("... and " + std::to_string(running.size() - shown) + " more");
    }
    lines.push_back(FormatPercent(fraction) + FormatRest(fraction, elapsed) + "; " +
                    std::to_string(m_doneTasks) + " of " + std::to_string(m_costs.size()) +
                    " runs done, " + std::to_string(running.size()) + " running");
    for (auto& line : lines)
    {
        line = Fit(line, width);
        line.erase(line.find_last_not_of(' ') + 1);
    }
    return lines;
}

std::string
FormatDuration(double seconds)
{
    const long s = std::lround(std::max(0.0, seconds));
    return s < 60     ? fmt::format("{} s", s)
           : s < 3600 ? fmt::format("{} min {:02} s", s / 60, s % 60)
                      : fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

} // namespace ns3::dml
