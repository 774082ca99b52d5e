/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_WRITER_H
#define DML_PLOT_WRITER_H

#include "dml-plot-script.h"

#include <string>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
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

    /**
     * @brief Write and draw one plot.
     * @param plot what to draw
     * @return empty if the SVG file was drawn, else a warning for the user: gnuplot is missing (and
     * which package has it) or what it complained about
     * @throws InputError if a file cannot be created, RunError if one cannot be written
     */
    std::string Write(const PlotScript& plot) const;

    /// @return true if a program called gnuplot is found in PATH
    static bool HaveGnuplot();

  private:
    std::string m_folder; //!< of the files
};

} // namespace dml
} // namespace ns3

#endif /* DML_PLOT_WRITER_H */
