/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COMPUTE_ORDER_H
#define DML_COMPUTE_ORDER_H

#include "ns3/dml-profile.h"

#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief The order in which a worker runs a step's compute ops when it waits for no network: that
 * of the fair-share engine, with an op's mean duration over the profile's steps.
 * @param profile a valid profile
 * @return all ops of kinds forward, backward and compute, by start, each once
 */
std::vector<OpIndex> FindComputeOrder(const Profile& profile);

} // namespace ns3::dml

#endif /* DML_COMPUTE_ORDER_H */
