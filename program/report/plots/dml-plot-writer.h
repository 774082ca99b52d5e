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

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-report
 * @brief Writes plots as NAME.gp, NAME.dat and, if gnuplot is installed, NAME.svg.
 *
 * The .gp and .dat files stay, so that a plot can be restyled and drawn again by
 * `gnuplot NAME.gp` in their folder. The same plot gives the same bytes.
 */
class PlotWriter
{
  public:
    /// @param folder existing folder of the files
    explicit PlotWriter(const std::string& folder);

    /// @param folder existing folder of the files @param limit what gnuplot may take for a plot
    PlotWriter(const std::string& folder, std::chrono::milliseconds limit);

    /**
     * @brief Write and draw one plot.
     * @param plot what to draw
     * @return empty if the SVG file was drawn, else a warning for the user: gnuplot is missing (and
     * which package has it), took too long, or what it complained about
     * @throws InputError if a file cannot be created, RunError if one cannot be written
     */
    std::string Write(const PlotScript& plot) const;

    /// @return true if FindProgram() finds gnuplot
    static bool HaveGnuplot();

  private:
    std::string m_folder;              //!< of the files
    std::chrono::milliseconds m_limit; //!< for a plot
};

/// @param name of a plot; @return the first line of its .gp file, by which it is known to be dml's
std::string GetPlotHead(const std::string& name);

} // namespace dml
} // namespace ns3

#endif /* DML_PLOT_WRITER_H */
