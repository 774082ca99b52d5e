/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_CONNECTIONS_H
#define DML_PLOT_CONNECTIONS_H

#include "dml-plot-script.h"

#include "ns3/dml-link-connections.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief How many connections send data over each link that switches choose from, beside how many
 * would if all paths were used alike; links on which more meet are in another colour.
 *
 * Of more than 64 links those are shown that have most connections for what they would have.
 *
 * @param title of the plot
 * @param links at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotConnections(const std::string& title,
                           std::vector<MultipathLink> links,
                           const std::string& name = "connections");

} // namespace ns3::dml

#endif /* DML_PLOT_CONNECTIONS_H */
