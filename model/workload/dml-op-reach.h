/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OP_REACH_H
#define DML_OP_REACH_H

#include "dml-op-graph.h"

#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-workload
 * @brief Find what waits for some ops, directly or for others that do.
 * @param graph of all ops
 * @param ops some of them, each once
 * @return by op: whether it is one of them or waits for one
 */
std::vector<bool> MarkWithDependents(const OpGraph& graph, std::vector<OpIndex> ops);

} // namespace ns3::dml

#endif /* DML_OP_REACH_H */
