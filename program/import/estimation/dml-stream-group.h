/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STREAM_GROUP_H
#define DML_STREAM_GROUP_H

#include "ns3/dml-recorded-transfer.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3::dml
{

/// One transfer as a stream of a connection. Times are seconds from StreamGroup::origin.
struct Stream
{
    std::size_t record{0}; //!< place of the record in the list that the group was made from
    uint64_t bytes{0};     //!< its size
    double request{0};     //!< it waits for the link from here on, at least 0
    double end{0};         //!< recorded end
    double lastByte{0};    //!< its last byte was received; NaN if that is not known
    std::size_t tensor{0}; //!< number of its tensor among those of all groups
    /// A parser of its own is busy until here with messages of other connections.
    double parserFree{-std::numeric_limits<double>::infinity()};
    /// The receiver's device is busy until here with what it computes and with these messages.
    double deviceFree{-std::numeric_limits<double>::infinity()};
    /// Its end lies this far inside a time in which the device computes: seconds from the nearer
    /// end of that time. If the device parses, that is an error.
    double inCompute{0};
    double late{0}; //!< its last byte comes so much later than the rate tells, seconds
};

/**
 * @ingroup dml-import
 * @brief The streams that one connection carried in one direction in one step.
 */
struct StreamGroup
{
    bool downlink{true};         //!< direction
    bool together{false};        //!< whether all were taken as requested at the origin
    uint32_t step{0};            //!< number of the step
    std::string sender;          //!< machine
    std::string receiver;        //!< machine
    int64_t origin{0};           //!< the first request, ns on the receiver's clock
    std::vector<Stream> streams; //!< by recorded start, then as listed

    /// @return when the last stream ends, seconds from the origin, at least 0
    double GetLength() const;
};

/**
 * @brief Seconds from one time to another, exact to the nanosecond up to 100 days.
 * @param from ns
 * @param to ns on the same clock
 * @return seconds, negative if @p to is earlier
 */
double GetSecondsBetween(int64_t from, int64_t to);

/**
 * @brief Sort transfers by connection, direction and step.
 *
 * A framework that asks for all parameters at once records starts that agree, or overlap at least.
 * Records of downlinks that follow each other without overlap (by more than 2 us, as times are
 * whole microseconds) tell when the receiver turned to a message, not when it was asked for: all of
 * the group is then taken as asked for together. That was at the first start, or before it when the
 * first tensor was complete at the sender, unless that is more than the group's length earlier
 * (which clocks that are not aligned may tell). Uplinks start when the sender has them.
 * @param transfers the records, with aligned clocks
 * @return groups in order of step, direction (downlinks first), sender and receiver
 * @throws InputError naming the tensor if a record ends before it starts
 */
std::vector<StreamGroup> GroupStreams(const std::vector<RecordedTransfer>& transfers);

/**
 * @brief Tell each stream until when what others made the receiver do kept its parser busy.
 *
 * What ended before a message had been parsed was done before it: a receiver that parses one
 * message at a time has one parser for all connections of one direction and step, and a device that
 * parses between its computations takes both in the order in which they come. Of a device with
 * several slots only the times in which all of them computed count. Ops without a length keep
 * nothing busy.
 * @param[in,out] groups get Stream::parserFree, deviceFree and inCompute
 * @param device what the receivers' devices computed
 */
void SetParserTimes(std::vector<StreamGroup>& groups, const RecordedDevice& device);

} // namespace ns3::dml

#endif /* DML_STREAM_GROUP_H */
