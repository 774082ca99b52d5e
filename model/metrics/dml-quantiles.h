/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_QUANTILES_H
#define DML_QUANTILES_H

namespace ns3::dml
{

/**
 * @param freedom degrees of it, above 0
 * @param level confidence level in (0, 1)
 * @return the quantile of Student's t distribution for a two-sided interval: 12.7 of one degree of
 * freedom
 */
double GetStudentQuantile(double freedom, double level = 0.95);

/**
 * @param probability in (0, 1)
 * @return the number below which a standard normal variable is with this probability: 1.96 for
 * 0.975
 */
double GetNormalQuantile(double probability);

} // namespace ns3::dml

#endif /* DML_QUANTILES_H */
