/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-writer.h"

#include "dml-result-file.h"
#include "dml-shell-word.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gnuplot-iostream.h>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace ns3
{
namespace dml
{

namespace
{

/// Ignores SIGPIPE while it lives: gnuplot may end before it has read everything.
class IgnoreBrokenPipe
{
  public:
    IgnoreBrokenPipe()
    {
        struct sigaction ignore
        {
        };
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &ignore, &m_old);
    }

    ~IgnoreBrokenPipe()
    {
        sigaction(SIGPIPE, &m_old, nullptr);
    }

    IgnoreBrokenPipe(const IgnoreBrokenPipe&) = delete;
    IgnoreBrokenPipe& operator=(const IgnoreBrokenPipe&) = delete;

  private:
    struct sigaction m_old; //!< what to restore
};

/// @param blocks numbers; @return the content of a data file
std::string
FormatBlocks(const std::vector<PlotBlock>& blocks)
{
    std::string text;
    for (const auto& block : blocks)
    {
        // Two blank lines end a block.
        text += (text.empty() ? "# " : "\n\n# ") + block.title + "\n";
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
    : m_folder(folder)
{
}

bool
PlotWriter::HaveGnuplot()
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    std::string folder;
    while (std::getline(folders, folder, ':'))
    {
        if (::access((folder + "/gnuplot").c_str(), X_OK) == 0)
        {
            return true;
        }
    }
    return false;
}

std::string
PlotWriter::Write(const PlotScript& plot) const
{
    namespace fs = std::filesystem;
    const std::string base = m_folder + "/" + plot.name;
    ResultFile::Replace(base + ".dat", FormatBlocks(plot.blocks));
    std::ostringstream script;
    script << "# Draw with: gnuplot " << plot.name << ".gp\n"
           << "set terminal svg noenhanced size " << plot.width << "," << plot.height
           << " font 'Helvetica,Arial,sans-serif,15' background 'white'\n"
           << "set encoding utf8\n"
           << "set output " << QuoteGnuplot(plot.name + ".svg") << "\n"
           << "DATA = " << QuoteGnuplot(plot.name + ".dat") << "\n"
           << plot.commands << "unset output\n";
    ResultFile::Replace(base + ".gp", script.str());

    if (!HaveGnuplot())
    {
        return base +
               ".svg was not drawn: gnuplot is not installed (Debian package gnuplot-nox); " +
               "the plot is kept as " + plot.name + ".gp and " + plot.name + ".dat";
    }
    // An old picture must not pass for the new one.
    std::error_code ignored;
    fs::remove(base + ".svg", ignored);
    const std::string log = base + ".log";
    {
        IgnoreBrokenPipe guard;
        // The log tells more than the exit status, whose complaint the library would print.
        // In the locale C gnuplot warns of a degree sign that no plot uses.
        Gnuplot gnuplot("cd " + QuoteShell(m_folder) + " && LC_ALL=C.UTF-8 gnuplot >" +
                        QuoteShell(plot.name + ".log") + " 2>&1 || true");
        // Unlike an error on the standard input, an error in a loaded file would go unnoticed.
        gnuplot << "load " << QuoteGnuplot(plot.name + ".gp") << "\n";
    }
    std::ifstream messages(log);
    std::string complaint((std::istreambuf_iterator<char>(messages)), {});
    messages.close();
    fs::remove(log, ignored);
    while (!complaint.empty() && (complaint.back() == '\n' || complaint.back() == ' '))
    {
        complaint.pop_back();
    }
    const bool drawn =
        fs::exists(base + ".svg", ignored) && fs::file_size(base + ".svg", ignored) > 0;
    if (drawn && complaint.empty())
    {
        return "";
    }
    return base + ".svg " + (drawn ? "may be incomplete" : "was not drawn") +
           ": gnuplot says: " + (complaint.empty() ? "nothing" : complaint);
}

} // namespace dml
} // namespace ns3
