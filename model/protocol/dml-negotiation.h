/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NEGOTIATION_H
#define DML_NEGOTIATION_H

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief How workers agree which collectives start, where their order is not fixed by the plan.
 *
 * In cycles all workers tell which gradients they have; those that all have are put into the order
 * of the transfer policy, successive ones are reduced as one buffer, and all workers start these in
 * that order. Source: Horovod 0.21 to 0.28 (horovod/common/controller.cc, operations.cc).
 */
struct Negotiation
{
    static constexpr double CYCLE = 1e-3;                    //!< Horovod's default, s
    static constexpr uint64_t THRESHOLD = 128 * 1024 * 1024; //!< likewise, bytes

    double cycle{CYCLE}; //!< seconds from the start of one cycle to that of the next
    uint64_t threshold{
        THRESHOLD};    //!< most bytes of gradients that are reduced as one; 0: each alone
    bool cached{true}; //!< a gradient is named by a bit, from its second time on
    bool waits{false}; //!< the next cycle starts when all that was agreed has been reduced
};

} // namespace ns3::dml

#endif /* DML_NEGOTIATION_H */
