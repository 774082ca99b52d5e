/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-writer.h"

#include "ns3/dml-child-program.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-terminal-text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <sstream>

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

/// @param blocks numbers; @return the content of a data file
std::string
FormatBlocks(const std::vector<PlotBlock>& blocks)
{
    std::string text;
    for (const auto& block : blocks)
    {
        // Two blank lines end a block.
        text += (text.empty() ? "# " : "\n\n# ") + EscapeControls(block.title) + "\n";
        for (const auto& row : block.rows)
        {
            for (size_t i = 0; i < row.size(); ++i)
            {
                text += (i > 0 ? " " : "") + PlotNumber(row[i]);
            }
            text += '\n';
        }
        if (block.rows.empty())
        {
            text += "NaN NaN NaN NaN NaN NaN\n"; // or gnuplot would not count the block
        }
    }
    return text;
}

/// Write a plot's .gp and .dat, and remove an old picture, which must not pass for the new one.
void
WriteScript(const PlotScript& plot, const std::string& folder)
{
    const std::string base = folder + "/" + plot.name;
    ResultFile::Replace(base + ".dat", FormatBlocks(plot.blocks));
    std::ostringstream script;
    script << GetPlotHead(plot.name) << "\n"
           << "set terminal svg noenhanced size " << plot.width << "," << plot.height
           << " font 'Helvetica,Arial,sans-serif,15' background 'white'\n"
           << "set encoding utf8\n"
           << "set output " << QuoteGnuplot(plot.name + ".svg") << "\n"
           << "DATA = " << QuoteGnuplot(plot.name + ".dat") << "\n"
           << plot.commands << "unset output\n";
    ResultFile::Replace(base + ".gp", script.str());
    std::error_code ignored;
    std::filesystem::remove(base + ".svg", ignored);
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
    std::vector<std::string> words{FindProgram("gnuplot"), "--default-settings"};
    for (const auto& plot : plots)
    {
        words.insert(words.end(), {plot.name + ".gp", "-e", "reset session"});
    }
    const ChildProgramEnd end = RunProgram(words, folder, ENVIRONMENT, limit);
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
        return fmt::format("{0}.svg was not drawn: gnuplot is not installed (Debian package "
                           "gnuplot-nox); the plot is kept as {1}.gp and {1}.dat",
                           base,
                           plot.name);
    }
    const ChildProgramEnd end =
        RunProgram({gnuplot, "--default-settings", plot.name + ".gp"}, folder, ENVIRONMENT, limit);
    if (end.timeout)
    {
        std::error_code ignored;
        std::filesystem::remove(base + ".svg", ignored);
        return fmt::format("{0}.svg was not drawn: gnuplot took more than {1:g} s and was ended; "
                           "the plot is kept as {2}.gp and {2}.dat",
                           base,
                           std::chrono::duration<double>(limit).count(),
                           plot.name);
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
