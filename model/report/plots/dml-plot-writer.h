/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_WRITER_H
#define DML_PLOT_WRITER_H

#include "dml-plot-script.h"

#include <chrono>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Writes plots as NAME.gp and, if gnuplot is installed, NAME.svg.
 *
 * The .gp files, which hold the numbers, too, stay, so that a plot can be restyled and drawn
 * again by `gnuplot NAME.gp` in their folder. gnuplot is started without a shell, and told over a
 * pipe what to draw (gnuplot-iostream). The same plots give the same bytes;
 * gnuplot alone begins a picture with an empty group in another colour.
 */
class PlotWriter
{
  public:
    /// @param folder existing folder of the files @param limit what pictures that are drawn
    /// together may take, and each that is then drawn alone; by default a hundred times what the
    /// largest takes on a slow machine
    explicit PlotWriter(const std::string& folder,
                        std::chrono::milliseconds limit = std::chrono::minutes(2));

    /**
     * @brief Write and draw plots, all by one gnuplot unless it complains: to start it takes longer
     * than a picture.
     * @param plots what to draw, each with a name of its own
     * @return a warning for the user for each SVG file that was not drawn: gnuplot is missing (and
     * which package has it), took too long, or what it complained about
     * @throws InputError if a file cannot be created, RunError if one cannot be written
     */
    std::vector<std::string> Write(const std::vector<PlotScript>& plots) const;

    /// Write() of one. @param plot what to draw; @return a warning, empty if there is none
    std::string Write(const PlotScript& plot) const;

    /// @return true if FindProgram() finds gnuplot
    static bool HaveGnuplot();

  private:
    std::string m_folder;              //!< of the files
    std::chrono::milliseconds m_limit; //!< for a gnuplot
};

/// @param name of a plot; @return the first line of its .gp file, by which it is known to be dml's
std::string GetPlotHead(const std::string& name);

} // namespace ns3::dml

#endif /* DML_PLOT_WRITER_H */
