/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRAPH_CHECK_H
#define DML_GRAPH_CHECK_H

#include "ns3/dml-profile.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Look for dependencies that a training step should have and an imported one lacks.
 *
 * Validate() refuses what cannot be run, cycles included. This tells what can be run but is hardly
 * meant: ops tied to no other op (orphans); pulls that no op waits for; pushes that wait for no op,
 * so that a gradient would be sent before it is computed; updates that wait for no push; tensors
 * that no op moves or updates.
 * @param profile a valid profile
 * @return one sentence per kind, with the number and the first name; empty if there is none
 */
std::vector<std::string> CheckGraph(const Profile& profile);

} // namespace ns3::dml

#endif /* DML_GRAPH_CHECK_H */
