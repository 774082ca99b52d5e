/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_TRANSFER_H
#define DML_STEP_TRANSFER_H

#include <cstdint>
#include <tuple>

namespace ns3::dml
{

/// A tensor that goes between the worker of a step and a server.
struct StepTransfer
{
    uint32_t tensor{0}; //!< index in the profile
    uint32_t server{0}; //!< from 0
    bool pull{true};    //!< a parameter to the worker; else a gradient to the server

    /// @param other transfer of the same step @return whether this one comes first in an order
    bool operator<(const StepTransfer& other) const
    {
        return std::tie(tensor, server, pull) < std::tie(other.tensor, other.server, other.pull);
    }
};

/// When a tensor was sent in a recorded run.
struct TimedTransfer
{
    StepTransfer transfer; //!< which
    double first{0};       //!< s, when its first byte was sent
    double last{0};        //!< s, when the receiver had all of it
};

/// When a tensor was there in a prediction.
struct StepArrival
{
    StepTransfer transfer; //!< which
    double time{0};        //!< s
};

} // namespace ns3::dml

#endif /* DML_STEP_TRANSFER_H */
