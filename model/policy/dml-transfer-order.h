/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_ORDER_H
#define DML_TRANSFER_ORDER_H

#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief How the pulls of a step are to be ordered.
 */
struct TransferOrderOptions
{
    /**
     * @brief Name of the rule:
     * - "forward": as the first compute op that directly waits for the pull is listed; pulls that
     * no compute op waits for come last
     * - "tic": MakeTicOrder()
     * - "tac": MakeTacOrder()
     * - "reverse": "tic" from its end
     * - "random": any order, all with the same probability; drawn from an ns-3
     *   stream of its own, it depends on @c seed alone
     * - "explicit": @c tensors
     */
    std::string rule{"forward"};
    double bytesPerSecond{0};         //!< "tac": rate of a transfer, finite and above 0
    uint32_t seed{1};                 //!< "random": seed of the run, at least 1
    std::vector<std::string> tensors; //!< "explicit": names of all pulled tensors, first one first
};

/**
 * @brief Put the pulls of a step in an order.
 *
 * Equal pulls keep their listing order. Where a pull waits for another one (through any ops), it
 * comes after it whatever the rule says, so that an order can always be enforced.
 * @param profile a valid profile
 * @param options the rule
 * @return each pull of the profile once, first one first
 * @throws InputError if there is no such rule; if "tac" has no rate; if "explicit" does not name
 *         every pulled tensor once, names another one, or has one before a tensor that its pull
 *         waits for
 */
std::vector<OpIndex> MakeTransferOrder(const Profile& profile, const TransferOrderOptions& options);

} // namespace ns3::dml

#endif /* DML_TRANSFER_ORDER_H */
