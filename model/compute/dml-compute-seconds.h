/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COMPUTE_SECONDS_H
#define DML_COMPUTE_SECONDS_H

#include "ns3/dml-profile.h"

namespace ns3::dml
{

/**
 * @brief How long a profile's step computes on its worker.
 *
 * The mean, over the measured steps, of the time for which the busiest device has work when all its
 * slots are full: the sum of its ops, divided by its slots. With one device and one slot, that is
 * the time of all forward, backward and compute ops. Where ops of several devices or slots wait for
 * each other, a step computes for longer than that.
 * @param profile a valid profile
 * @return seconds; 0 if nothing is computed on the worker
 */
double GetComputeSeconds(const Profile& profile);

} // namespace ns3::dml

#endif /* DML_COMPUTE_SECONDS_H */
