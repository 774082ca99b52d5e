/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OVERHEAD_REPORT_H
#define DML_OVERHEAD_REPORT_H

#include "ns3/dml-overhead-fit.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Share of tensor bytes in what a link of a scenario that says nothing else carries.
 * @return above 0, below 1: the headers of Ethernet, IP, TCP and HTTP/2 are the rest
 */
double GetPayloadShare();

/**
 * @ingroup dml-import
 * @brief What a link carries, for FitOverhead().
 * @param rate of the link in bit/s, or nothing if it is to be fitted too
 * @return tensor bytes per second, likewise
 */
std::optional<double> GetTensorRate(std::optional<uint64_t> rate);

/**
 * @ingroup dml-import
 * @brief How well the ends of recorded downlink streams are predicted, as in Table 1 of Li et al.
 * @param error of the prediction
 * @return one sentence
 */
std::string DescribeEndTimeError(const EndTimeError& error);

/**
 * @ingroup dml-import
 * @brief What `dml fit-overhead` prints about a fit.
 * @param fit the fit
 * @return lines of at most 80 columns, each with its line end
 */
std::string FormatOverheadReport(const OverheadFit& fit);

} // namespace ns3::dml

#endif /* DML_OVERHEAD_REPORT_H */
