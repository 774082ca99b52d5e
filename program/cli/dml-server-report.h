/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SERVER_REPORT_H
#define DML_SERVER_REPORT_H

#include "ns3/dml-server-fit.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A measured throughput beside what was predicted, in samples/s.
struct ServerPoint
{
    std::size_t line{0}; //!< in its file
    uint32_t workers{0}; //!< of the job
    uint32_t servers{0}; //!< of the job
    double measured{0};  //!< throughput
    double before{0};    //!< as the scenario is
    double predicted{0}; //!< with the costs that were fitted
    double leftOut{0};   //!< the same, fitted to the other points
};

/// @param points at least one @return a table of at most 80 columns, and mean errors below it
std::string FormatServerTable(const std::vector<ServerPoint>& points);

/// @param fit that tells something @return it in words, in lines of at most 80 columns
std::string DescribeServerFit(const ServerFit& fit);

/// @param fit that tells something @return keys of a scenario, with standard errors as comments
std::string WriteServerYaml(const ServerFit& fit);

} // namespace ns3::dml

#endif /* DML_SERVER_REPORT_H */
