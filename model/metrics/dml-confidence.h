/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONFIDENCE_H
#define DML_CONFIDENCE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-metrics
 * @brief Mean over replications and the half-width of its confidence interval.
 */
struct Confidence
{
    uint32_t count{0};              //!< values that were defined
    uint32_t skipped{0};            //!< values that were undefined and left out
    std::optional<double> mean;     //!< nothing if no value was defined
    std::optional<double> halfWidth; //!< nothing with fewer than two values

    /// @return a remark such as "2 of 5 replications undefined", or empty if none was skipped
    std::string GetRemark() const;
};

/**
 * @brief Mean and Student-t confidence interval of independent replications.
 *
 * The half-width is t(1 - (1 - level) / 2, n - 1) * s / sqrt(n), with the sample standard
 * deviation s; it takes the replications' values for normally distributed.
 *
 * @param values one per replication; undefined (or not finite) ones are left out and counted
 * @param level confidence level in (0, 1)
 * @return the mean and its interval
 */
Confidence ComputeConfidence(const std::vector<std::optional<double>>& values,
                             double level = 0.95);

} // namespace dml
} // namespace ns3

#endif /* DML_CONFIDENCE_H */
