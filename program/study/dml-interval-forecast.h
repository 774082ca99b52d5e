/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_INTERVAL_FORECAST_H
#define DML_INTERVAL_FORECAST_H

#include <string>

namespace ns3::dml
{

class StudyPlan;

/**
 * @ingroup dml-study
 * @brief Say how wide the intervals of the packet engine's throughputs will be, and which runs some
 * budgets of CPU time would pay for, for the configurations of the first variant.
 *
 * Packets are too expensive to try that, so the fair-share engine tells how much runs spread: some
 * replications as long as the study's, and some four times as long. That is a forecast, as the
 * engines need not spread alike (doc/validation.rst).
 *
 * @param plan of the study, with estimates
 * @return lines for `dml check`; empty if the study has no packets or runs whose length is found as
 * they go, if the trials would take more than a second or two of CPU, or fail
 */
std::string ForecastIntervals(const StudyPlan& plan);

} // namespace ns3::dml

#endif /* DML_INTERVAL_FORECAST_H */
