/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MEASURED_POINTS_H
#define DML_MEASURED_POINTS_H

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A throughput that was measured.
struct MeasuredPoint
{
    /// Keys of the scenario that it was measured with, "key.path=value", in order.
    std::vector<std::string> settings;
    double throughput{0};  //!< samples/s, above 0
    double error{0};       //!< standard error of the throughput, samples/s; 0: unknown
    std::size_t line{0};   //!< in the file, from 1
    std::size_t column{0}; //!< of the throughput, in its line, from 1
};

/**
 * @ingroup dml-search
 * @brief Read throughputs that were measured.
 *
 * A CSV file with a header. The columns `throughput` (samples/s) and `workers` are needed,
 * `standard_error` (samples/s) and `parameter_servers` may be there. Every other column is a key of
 * the scenario, such as `job.profile` or `network.rate`; the paths in it start at the current
 * folder. An empty cell of a key leaves the scenario's value.
 *
 * @param file path
 * @return its points, at least one; all or none of them with a standard error
 * @throws InputError with file, line and column
 */
std::vector<MeasuredPoint> ReadMeasuredPoints(const std::string& file);

} // namespace ns3::dml

#endif /* DML_MEASURED_POINTS_H */
