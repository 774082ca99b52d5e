/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORDED_DEVICE_H
#define DML_RECORDED_DEVICE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// An op that a receiver computed, as a framework recorded it.
struct RecordedCompute
{
    std::string machine; //!< machine that computed, as RecordedTransfer::receiver
    uint32_t step{0};    //!< number of the step in the import, from 0
    int64_t start{0};    //!< ns on the machine's clock
    int64_t end{0};      //!< ns on the machine's clock
};

/**
 * @ingroup dml-import
 * @brief What ran on the device that parses received tensors where parsing has no resource of its
 * own: the worker's first one.
 */
struct RecordedDevice
{
    uint32_t slots{1};                     //!< ops that it runs at the same time, at least 1
    std::vector<RecordedCompute> computes; //!< in any order; empty if nothing is known
};

} // namespace ns3::dml

#endif /* DML_RECORDED_DEVICE_H */
