/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STREAM_MODEL_H
#define DML_STREAM_MODEL_H

#include "dml-stream-group.h"

#include "ns3/dml-stream-window-model.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief What decides when a stream is transmitted and when its record ends.
 */
struct LinkModel
{
    /// Window of a connection without flow control.
    static constexpr uint64_t NO_WINDOW = std::numeric_limits<uint64_t>::max();

    double latency{0};    //!< from request to first byte on an idle link, seconds, at least 0
    double rate{0};       //!< tensor bytes per second, above 0
    double alpha{0};      //!< parsing, seconds per byte, at least 0
    double beta{0};       //!< parsing, seconds per message, at least 0
    bool parallel{false}; //!< parsing has a resource of its own instead of the receiver's device
    uint64_t window{NO_WINDOW}; //!< WIN in bytes, at least 1
    /// What follows a stream's first turn.
    StreamWindowModel::Rule rule{StreamWindowModel::Rule::TWO_TURNS};
};

/// When a stream is transmitted. Seconds from StreamGroup::origin.
struct StreamTimes
{
    double first{0}; //!< its first turn starts
    double last{0};  //!< its last byte is received
    double end{0};   //!< it has been parsed: what the framework records as the end
};

/**
 * @brief Predict when the streams of a connection are transmitted and recorded as complete.
 *
 * Streams wait from `latency` after their request on, in that order, and are served as
 * Http2WindowPolicy serves them, one turn after the other at the full rate of the link; parsing
 * takes alpha * bytes + beta after the last byte, in order of last bytes, one message after the
 * other, and not before Stream::parserFree, or Stream::deviceFree if it has no resource of its own.
 * Source: Li et al., ICPE 2020, sections 3.2.1 and 3.2.2.
 * @param group the streams; their recorded ends are not used
 * @param link how they are sent and parsed
 * @return times, in order of the streams
 * @throws InputError if a number of @p link is out of its range, or there are more than 10^7 turns
 */
std::vector<StreamTimes> PredictStreams(const StreamGroup& group, const LinkModel& link);

/**
 * @ingroup dml-import
 * @brief How far predicted ends of downlink streams are from the recorded ones, relative.
 *
 * As in Table 1 of Li et al., ICPE 2020. The paper does not print what it divides by; here it is
 * the recorded end, counted like the prediction from the first request of the group, so that the
 * error of a stream is abs(predicted - recorded) / recorded.
 */
struct EndTimeError
{
    std::size_t streams{0}; //!< number of downlink streams with a recorded end above 0
    double average{0};      //!< mean; NaN if there are no streams, as the others
    double median{0};       //!< between order statistics, linearly
    double percentile95{0}; //!< between order statistics, linearly
    double maximum{0};      //!< largest
};

/**
 * @brief A quantile, linearly between order statistics.
 * @param values any order
 * @param fraction 0 to 1
 * @return the quantile, NaN if there are no values
 */
double GetQuantile(std::vector<double> values, double fraction);

/**
 * @brief Compare predicted with recorded ends.
 * @param groups uplinks are left out
 * @param link the prediction's parameters
 * @return the errors
 * @throws InputError as PredictStreams()
 */
EndTimeError ComputeEndTimeError(const std::vector<StreamGroup>& groups, const LinkModel& link);

} // namespace ns3::dml

#endif /* DML_STREAM_MODEL_H */
