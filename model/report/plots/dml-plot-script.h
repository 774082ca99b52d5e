/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_SCRIPT_H
#define DML_PLOT_SCRIPT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Colours that colour-blind readers can tell apart (Okabe and Ito, "Color Universal Design").
namespace plotcolor
{
inline constexpr const char* BLUE = "#0072B2";
inline constexpr const char* VERMILION = "#D55E00";
inline constexpr const char* GREEN = "#009E73";
inline constexpr const char* PURPLE = "#CC79A7";
inline constexpr const char* SKY = "#56B4E9";
inline constexpr const char* ORANGE = "#E69F00";
inline constexpr const char* YELLOW = "#F0E442";
inline constexpr const char* BLACK = "#000000";
inline constexpr const char* GREY = "#909090";
inline constexpr const char* PALE = "#E8E8E8";

/// Of curves that are alike, the first ones told apart best.
inline constexpr std::array CURVES{BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, GREY};
} // namespace plotcolor

/**
 * @ingroup dml-report
 * @brief One block of numbers of a plot: the i-th is gnuplot's data block `$datai`.
 */
struct PlotBlock
{
    std::string title;                     //!< written above the block, with the columns' names
    std::vector<std::vector<double>> rows; //!< of equal length; not finite where there is no value
};

/**
 * @ingroup dml-report
 * @brief A plot as gnuplot wants it: commands and numbers.
 *
 * The commands call the blocks of numbers $data0, $data1 ..., and set neither terminal nor output.
 */
struct PlotScript
{
    std::string name;                //!< of the files, without suffix
    uint32_t width{900};             //!< pixels
    uint32_t height{560};            //!< pixels
    std::string commands{};          //!< gnuplot commands, each with its line end
    std::vector<PlotBlock> blocks{}; //!< numbers
};

/// @param text any text; @return it as a gnuplot string, quotes included, on one line, in UTF-8
std::string QuoteGnuplot(std::string_view text);

/**
 * @brief A title as gnuplot wants it, in letters that are small enough for the picture.
 * @param text the title; one that is too long for the smallest letters is cut
 * @param width of the picture, pixels
 * @param place where it goes, for a label
 * @return quoted text, place and font
 */
std::string PlotTitle(std::string_view text, uint32_t width, const std::string& place = "");

/// @param text any text; @return it as QuoteGnuplot() gives it, for a tic: a format for gnuplot
std::string QuoteGnuplotTic(std::string_view text);

/// @param value a number; @return it in the fewest digits that read back the same, "NaN" if it is
/// not finite
std::string PlotNumber(double value);

/// @param[in,out] command gnuplot's plot with its lines so far, empty without any @param line a
/// next one
inline void
AddPlotLine(std::string& command, const std::string& line)
{
    command += (command.empty() ? "plot " : ", \\\n     ") + line;
}

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

#endif /* DML_PLOT_SCRIPT_H */
