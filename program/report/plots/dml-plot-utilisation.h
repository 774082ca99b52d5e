/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_UTILISATION_H
#define DML_PLOT_UTILISATION_H

#include "dml-plot-script.h"

#include "ns3/dml-link-meter.h"
#include "ns3/dml-throughput.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief What the links of one run carried over time.
 */
struct UtilisationSeries
{
    std::string engine;                        //!< shown above its panel
    double binWidth{1};                        //!< s
    double t0{0};                              //!< start of the measured window, s, or NaN
    double t1{0};                              //!< end of the measured window, s, or NaN
    std::vector<std::vector<double>> downlink; //!< utilisation by server and bin
    std::vector<std::vector<double>> uplink;   //!< utilisation by server and bin

    /**
     * @param engine shown above the panel
     * @param meter of the run
     * @param throughput of the run, for the measured window
     * @return the series
     */
    static UtilisationSeries From(const std::string& engine,
                                  const LinkMeter& meter,
                                  const Throughput& throughput);
};

/**
 * @ingroup dml-report
 * @brief Utilisation of every server's link over time, one panel per run: downlinks above the
 * axis, uplinks below it.
 *
 * Bins are merged until at most 200 are left, for lines that an eye can follow; the measured
 * window is white on grey.
 *
 * @param title of the plot
 * @param series one per panel, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotUtilisation(const std::string& title,
                           const std::vector<UtilisationSeries>& series,
                           const std::string& name = "utilisation");

} // namespace ns3::dml

#endif /* DML_PLOT_UTILISATION_H */
