/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_PANELS_H
#define DML_PLOT_PANELS_H

#include "dml-plot-script.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// What is around the panels of a plot, heights in pixels.
struct PanelFrame
{
    double title; //!< above the first panel's head, for the title
    double head;  //!< above each panel, for its own title
    double foot;  //!< below the last panel, for its axis and the key
};

/**
 * @ingroup dml-report
 * @brief Places the panels of a plot from the top of the picture downwards.
 */
class PlotPanels
{
  public:
    /**
     * @param[out] plot gets its height
     * @param frame around the panels
     * @param heights of the panels, pixels
     */
    PlotPanels(PlotScript& plot, const PanelFrame& frame, std::vector<double> heights)
        : m_heights(std::move(heights)),
          m_head(frame.head),
          m_at(frame.title)
    {
        m_height = frame.title + frame.foot;
        for (const double panel : m_heights)
        {
            m_height += frame.head + panel;
        }
        plot.height = m_height;
    }

    /// As above, for a number of @p panels of the same @p height.
    PlotPanels(PlotScript& plot, const PanelFrame& frame, std::size_t panels, double height)
        : PlotPanels(plot, frame, std::vector<double>(panels, height))
    {
    }

    /// @return gnuplot commands that place the next panel
    std::string Place()
    {
        const double top = m_at + m_head;
        m_at = top + m_heights.at(m_placed++);
        return "set tmargin at screen " + PlotNumber(1 - top / m_height) +
               "\nset bmargin at screen " + PlotNumber(1 - m_at / m_height) + "\n";
    }

    /// @param title of the next panel @param offset of it, lines @return commands that place both
    std::string Place(const std::string& title, const std::string& offset = "-0.6")
    {
        return Place() + "set title " + QuoteGnuplot(title) + " offset 0," + offset + "\n";
    }

    /// @return whether the last panel is placed, which has the axis
    bool IsLast() const
    {
        return m_placed == m_heights.size();
    }

  private:
    std::vector<double> m_heights; //!< of the panels
    double m_head;                 //!< above each panel
    double m_at;                   //!< end of what is placed
    double m_height;               //!< of the picture
    std::size_t m_placed{0};       //!< panels that are placed
};

} // namespace ns3::dml

#endif /* DML_PLOT_PANELS_H */
