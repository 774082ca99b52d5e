/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORDED_TRANSFER_H
#define DML_RECORDED_TRANSFER_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief A transfer of one tensor as a framework recorded it, such as a RecvTensor of TensorFlow.
 *
 * The interval is not that of the transmission: a record may start long before the first byte is
 * sent, and ends after the message was parsed (Li et al., ICPE 2020, section 2.2).
 */
struct RecordedTransfer
{
    /// Value of a time that the trace does not tell.
    static constexpr int64_t UNKNOWN = std::numeric_limits<int64_t>::min();

    std::string tensor;        //!< name of the tensor, as in the profile
    uint64_t bytes{0};         //!< its size
    bool downlink{true};       //!< parameter server to worker, or the other way
    uint32_t step{0};          //!< number of the step in the import, from 0
    std::string sender;        //!< machine that sent it, as in "/job:ps/replica:0/task:0"
    std::string receiver;      //!< machine that received and recorded it
    int64_t start{0};          //!< recorded start, ns on the receiver's clock
    int64_t end{0};            //!< recorded end, ns on the receiver's clock
    int64_t ready{UNKNOWN};    //!< the tensor was complete at the sender, ns on the sender's clock
    int64_t used{UNKNOWN};     //!< first op that reads it started, ns on the receiver's clock
    int64_t lastByte{UNKNOWN}; //!< its last byte was received, ns on the receiver's clock
};

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

#endif /* DML_RECORDED_TRANSFER_H */
