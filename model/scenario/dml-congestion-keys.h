/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONGESTION_KEYS_H
#define DML_CONGESTION_KEYS_H

#include "dml-scenario.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// A congestion control that a scenario chooses.
struct CongestionKey
{
    std::string key;    //!< path of the key that chooses it, such as "other_jobs[0].tcp"
    PluginSpec control; //!< one of CongestionControls()
};

/// @param scenario any @return all that it chooses: the network's first, then those of jobs and of
/// background flows that have their own
std::vector<CongestionKey> ListCongestionKeys(const Scenario& scenario);

} // namespace ns3::dml

#endif /* DML_CONGESTION_KEYS_H */
