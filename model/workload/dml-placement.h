/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLACEMENT_H
#define DML_PLACEMENT_H

#include "dml-profile.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Parameter server of each tensor: placement[tensor] is a server's index from 0.
using Placement = std::vector<uint32_t>;

/**
 * @brief Each tensor, in listing order, goes to the server with the fewest bytes so far (the
 * lowest index on a tie), as TensorFlow's greedy load balancing does.
 * @param tensors tensors in listing order
 * @param servers number of parameter servers, at least 1
 * @return the server of each tensor
 */
Placement PlaceGreedy(const std::vector<Tensor>& tensors, uint32_t servers);

/**
 * @brief Tensor i goes to server i modulo the number of servers.
 * @param tensors tensors in listing order
 * @param servers number of parameter servers, at least 1
 * @return the server of each tensor
 */
Placement PlaceRoundRobin(const std::vector<Tensor>& tensors, uint32_t servers);

/**
 * @brief Place tensors as a table says.
 * @param tensors tensors in listing order
 * @param servers number of parameter servers, at least 1
 * @param table server of each tensor by the tensor's name
 * @return the server of each tensor
 * @throws InputError if a tensor is missing, unknown, or sent to a server that does not exist
 */
Placement PlaceExplicit(const std::vector<Tensor>& tensors,
                        uint32_t servers,
                        const std::map<std::string, uint32_t>& table);

} // namespace ns3::dml

#endif /* DML_PLACEMENT_H */
