/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-writer.h"

#include "ns3/dml-child-program.h"
#include "ns3/dml-error.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-terminal-text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <gnuplot-iostream.h>
#include <iomanip>
#include <limits>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// gnuplot reads no settings of the user and none that lie where it runs. In the locale C it warns
/// of a degree sign that no plot uses.
const std::vector<std::string> ENVIRONMENT{"LC_ALL=C.UTF-8",
                                           "GNUTERM=unknown",
                                           "GNUPLOT_LIB",
                                           "GNUPLOT_DRIVER_DIR",
                                           "FIT_SCRIPT"};

/// gnuplot complains about a data block without a row.
const std::vector<std::vector<double>> EMPTY_BLOCK{
    std::vector<double>(6, std::numeric_limits<double>::quiet_NaN())};

/// @return the name of a plot's script
std::string
GetScriptName(const PlotScript& plot)
{
    return plot.name + ".gp";
}

/// Sends commands and numbers to what is behind @p gnuplot, which gets numbers with 15 digits.
void
SendScript(gnuplotio::Gnuplot& gnuplot, const PlotScript& plot)
{
    gnuplot << std::defaultfloat << std::setprecision(std::numeric_limits<double>::digits10)
            << GetPlotHead(plot.name) << "\n"
            << "set terminal svg noenhanced size " << plot.width << "," << plot.height
            << " font 'Helvetica,Arial,sans-serif,15' background 'white'\n"
            << "set encoding utf8\n"
            << "set output " << QuoteGnuplot(plot.name + ".svg") << "\n";
    for (std::size_t i = 0; i < plot.blocks.size(); ++i)
    {
        // send1d() ends with a line "e", which ends the data block, too.
        const auto& block = plot.blocks[i];
        gnuplot << "# " << EscapeControls(block.title) << "\n$data" << i << " << e\n";
        gnuplot.send1d(block.rows.empty() ? EMPTY_BLOCK : block.rows);
    }
    gnuplot << plot.commands << "unset output\n";
}

/// @return the whole script of a plot
/// @throws RunError if the system refuses memory for it
std::string
MakeScript(const PlotScript& plot)
{
    // gnuplot-iostream writes to files that have a descriptor; this one is in memory.
    const int file = memfd_create("script", MFD_CLOEXEC);
    std::FILE* stream = file < 0 ? nullptr : fdopen(file, "w+");
    if (!stream)
    {
        throw RunError(std::string("cannot take memory for a plot: ") + std::strerror(errno));
    }
    gnuplotio::Gnuplot gnuplot(stream); // closes it
    SendScript(gnuplot, plot);
    gnuplot.flush();
    std::string script(lseek(file, 0, SEEK_END), '\0');
    if (!gnuplot || pread(file, script.data(), script.size(), 0) != ssize_t(script.size()))
    {
        throw RunError("cannot take memory for a plot");
    }
    return script;
}

/// Write a plot's script, and remove an old picture, which must not pass for the new one.
void
WriteScript(const PlotScript& plot, const std::string& folder)
{
    ResultFile::Replace(folder + "/" + GetScriptName(plot), MakeScript(plot));
    std::error_code ignored;
    std::filesystem::remove(folder + "/" + plot.name + ".svg", ignored);
}

/// Lets a gnuplot without the user's settings draw @p plots, one after the other.
/// @return how it ended
ChildProgramEnd
RunGnuplot(const std::string& gnuplot,
           const std::vector<PlotScript>& plots,
           const std::string& folder,
           std::chrono::milliseconds limit)
{
    ChildProgramText text;
    text.write = [&plots](std::FILE* pipe) {
        gnuplotio::Gnuplot session(pipe); // closes it
        for (const auto& plot : plots)
        {
            session << "load " << QuoteGnuplot(GetScriptName(plot)) << "\nreset session\n";
        }
    };
    return RunProgram({gnuplot, "--default-settings"}, folder, ENVIRONMENT, limit, text);
}

/// @param picture its path; @return whether it is there and not empty
bool
IsDrawn(const std::string& picture)
{
    std::error_code error;
    return std::filesystem::exists(picture, error) &&
           std::filesystem::file_size(picture, error) > 0;
}

/// @param plots written ones; @return whether one gnuplot drew them all without a word
bool
DrawTogether(const std::vector<PlotScript>& plots,
             const std::string& folder,
             std::chrono::milliseconds limit)
{
    const ChildProgramEnd end = RunGnuplot(FindProgram("gnuplot"), plots, folder, limit);
    return !end.timeout && end.output.empty() &&
           std::all_of(plots.begin(), plots.end(), [&folder](const auto& plot) {
               return IsDrawn(folder + "/" + plot.name + ".svg");
           });
}

/// @param plot a written one; @return a warning, empty if it was drawn
std::string
Draw(const PlotScript& plot, const std::string& folder, std::chrono::milliseconds limit)
{
    const std::string base = folder + "/" + plot.name;
    const std::string gnuplot = FindProgram("gnuplot");
    if (gnuplot.empty())
    {
        return fmt::format("{}.svg was not drawn: gnuplot is not installed (Debian package "
                           "gnuplot-nox); the plot is kept as {}",
                           base,
                           GetScriptName(plot));
    }
    const ChildProgramEnd end = RunGnuplot(gnuplot, {plot}, folder, limit);
    if (end.timeout)
    {
        std::error_code ignored;
        std::filesystem::remove(base + ".svg", ignored);
        return fmt::format("{}.svg was not drawn: gnuplot took more than {:g} s and was ended; "
                           "the plot is kept as {}",
                           base,
                           std::chrono::duration<double>(limit).count(),
                           GetScriptName(plot));
    }
    std::string complaint;
    std::istringstream words(end.output);
    for (std::string word; words >> word;)
    {
        complaint += (complaint.empty() ? "" : " ") + word;
    }
    const bool drawn = IsDrawn(base + ".svg");
    if (drawn && complaint.empty())
    {
        return "";
    }
    return base + ".svg " + (drawn ? "may be incomplete" : "was not drawn") +
           ": gnuplot says: " + (complaint.empty() ? "nothing" : complaint);
}

} // namespace

PlotWriter::PlotWriter(const std::string& folder, std::chrono::milliseconds limit)
    : m_folder(folder),
      m_limit(limit)
{
}

bool
PlotWriter::HaveGnuplot()
{
    return !FindProgram("gnuplot").empty();
}

std::string
GetPlotHead(const std::string& name)
{
    return "# Draw with: gnuplot " + name + ".gp";
}

std::vector<std::string>
PlotWriter::Write(const std::vector<PlotScript>& plots) const
{
    for (const auto& plot : plots)
    {
        WriteScript(plot, m_folder);
    }
    std::vector<std::string> warnings;
    if (plots.size() > 1 && HaveGnuplot() && DrawTogether(plots, m_folder, m_limit))
    {
        return warnings;
    }
    for (const auto& plot : plots)
    {
        const std::string warning = Draw(plot, m_folder, m_limit);
        if (!warning.empty())
        {
            warnings.push_back(warning);
        }
    }
    return warnings;
}

std::string
PlotWriter::Write(const PlotScript& plot) const
{
    const auto warnings = Write(std::vector<PlotScript>{plot});
    return warnings.empty() ? "" : warnings.front();
}

} // namespace ns3::dml
