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
 * @param plan of the study, with estimates that are measured (MeasurePacketSpeed())
 * @return lines for `dml check`: the forecast, or why there is none, such as trials that take more
 * than some seconds of CPU; empty if the study has no packets
 */
std::string ForecastIntervals(const StudyPlan& plan);

} // namespace ns3::dml

#endif /* DML_INTERVAL_FORECAST_H */
