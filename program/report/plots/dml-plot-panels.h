/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_PANELS_H
#define DML_PLOT_PANELS_H

#include "dml-plot-script.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Places the panels of a plot from the top of the picture downwards.
 */
class PlotPanels
{
  public:
    /**
     * @param height of the picture, pixels
     * @param title pixels above the first panel's head, for the title
     * @param head pixels above each panel, for its own title
     */
    PlotPanels(double height, double title, double head)
        : m_height(height),
          m_head(head),
          m_at(title)
    {
    }

    /// @param pixels height of the next panel; @return gnuplot commands that place it
    std::string Place(double pixels)
    {
        const double top = m_at + m_head;
        m_at = top + pixels;
        return "set tmargin at screen " + PlotNumber(1 - top / m_height) +
               "\nset bmargin at screen " + PlotNumber(1 - m_at / m_height) + "\n";
    }

  private:
    double m_height; //!< of the picture
    double m_head;   //!< above each panel
    double m_at;     //!< end of what is placed
};

} // namespace ns3::dml

#endif /* DML_PLOT_PANELS_H */
