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
#include <sstream>

namespace ns3::dml
{

namespace
{

/// What pictures that are drawn together may take, and each that is then drawn alone: a hundred
/// times what the largest takes on a slow machine.
constexpr std::chrono::minutes LIMIT{2};

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

} // namespace

PlotWriter::PlotWriter(const std::string& folder)
    : PlotWriter(folder, LIMIT)
{
}

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
        WriteScript(plot);
    }
    std::vector<std::string> warnings;
    if (plots.size() > 1 && HaveGnuplot() && DrawTogether(plots))
    {
        return warnings;
    }
    for (const auto& plot : plots)
    {
        const std::string warning = Draw(plot);
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
    WriteScript(plot);
    return Draw(plot);
}

void
PlotWriter::WriteScript(const PlotScript& plot) const
{
    const std::string base = m_folder + "/" + plot.name;
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

bool
PlotWriter::IsDrawn(const std::string& name) const
{
    const std::string picture = m_folder + "/" + name + ".svg";
    std::error_code error;
    return std::filesystem::exists(picture, error) &&
           std::filesystem::file_size(picture, error) > 0;
}

bool
PlotWriter::DrawTogether(const std::vector<PlotScript>& plots) const
{
    std::vector<std::string> words{FindProgram("gnuplot"), "--default-settings"};
    for (const auto& plot : plots)
    {
        words.insert(words.end(), {plot.name + ".gp", "-e", "reset session"});
    }
    const ChildProgramEnd end = RunProgram(words, m_folder, ENVIRONMENT, m_limit);
    return !end.timeout && end.output.empty() &&
           std::all_of(plots.begin(), plots.end(), [this](const auto& plot) {
               return IsDrawn(plot.name);
           });
}

std::string
PlotWriter::Draw(const PlotScript& plot) const
{
    const std::string base = m_folder + "/" + plot.name;
    const std::string gnuplot = FindProgram("gnuplot");
    if (gnuplot.empty())
    {
        return base +
               ".svg was not drawn: gnuplot is not installed (Debian package gnuplot-nox); " +
               "the plot is kept as " + plot.name + ".gp and " + plot.name + ".dat";
    }
    const ChildProgramEnd end = RunProgram({gnuplot, "--default-settings", plot.name + ".gp"},
                                           m_folder,
                                           ENVIRONMENT,
                                           m_limit);
    if (end.timeout)
    {
        std::error_code ignored;
        std::filesystem::remove(base + ".svg", ignored);
        std::ostringstream seconds;
        seconds << std::chrono::duration<double>(m_limit).count();
        return base + ".svg was not drawn: gnuplot took more than " + seconds.str() +
               " s and was ended; the plot is kept as " + plot.name + ".gp and " + plot.name +
               ".dat";
    }
    std::string complaint;
    std::istringstream words(end.output);
    for (std::string word; words >> word;)
    {
        complaint += (complaint.empty() ? "" : " ") + word;
    }
    const bool drawn = IsDrawn(plot.name);
    if (drawn && complaint.empty())
    {
        return "";
    }
    return base + ".svg " + (drawn ? "may be incomplete" : "was not drawn") +
           ": gnuplot says: " + (complaint.empty() ? "nothing" : complaint);
}

} // namespace ns3::dml
