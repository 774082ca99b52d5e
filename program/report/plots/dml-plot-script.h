/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_SCRIPT_H
#define DML_PLOT_SCRIPT_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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
 * @brief One block of numbers of a plot: `DATA index i` for gnuplot.
 */
struct PlotBlock
{
    std::string title;                     //!< written above the block, with the columns' names
    std::vector<std::vector<double>> rows; //!< of equal length; NaN where there is no value
};

/**
 * @ingroup dml-report
 * @brief A plot as gnuplot wants it: commands and numbers.
 *
 * The commands call the file with the numbers DATA, and set neither terminal nor output.
 */
struct PlotScript
{
    std::string name;              //!< of the files, without suffix
    uint32_t width{900};           //!< pixels
    uint32_t height{560};          //!< pixels
    std::string commands;          //!< gnuplot commands, each with its line end
    std::vector<PlotBlock> blocks; //!< numbers
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

} // namespace ns3::dml

#endif /* DML_PLOT_SCRIPT_H */
