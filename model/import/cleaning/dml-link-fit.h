/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_FIT_H
#define DML_LINK_FIT_H

#include "dml-stream-model.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{
namespace dml
{

/// A number that was fitted or given.
struct FittedValue
{
    double value{0};    //!< the number
    double error{0};    //!< its standard error; 0 if it was given, infinite if data cannot tell
    bool fitted{false}; //!< whether it was fitted
};

/// Which of a link's numbers are fitted; the others stay as they are.
struct LinkFitOptions
{
    bool latency{true}; //!< from request to first byte
    bool rate{true};    //!< the rate
    bool alpha{true};   //!< parsing per byte
    bool beta{true};    //!< parsing per message
    /// Range of WIN in bytes, if it is fitted: from the first to the second.
    std::optional<std::pair<uint64_t, uint64_t>> window;
    /// Match last bytes instead of ends; streams without one are left out. They do not depend on
    /// alpha and beta, which are not fitted then.
    bool lastBytes{false};
};

/**
 * @ingroup dml-import
 * @brief A link model fitted to recorded ends.
 */
struct LinkFit
{
    LinkModel link;             //!< with the fitted numbers
    FittedValue latency;        //!< from request to first byte, seconds
    FittedValue secondsPerByte; //!< 1 / rate
    FittedValue alpha;          //!< parsing, seconds per byte
    FittedValue beta;           //!< parsing, seconds per message
    FittedValue window;         //!< WIN, bytes; not fitted unless asked for
    /// Correlation of the errors of alpha and 1 / rate: near -1 only their sum is known.
    double correlation{0};
    /// Whether the data need alpha: false if a rate alone explains them as well. It is 0 then.
    bool alphaNeeded{true};
    double loss{0};      //!< mean absolute error of the times between ends, seconds
    std::size_t used{0}; //!< number of streams
};

/**
 * @brief Fit latency, 1 / rate, alpha, beta and WIN so that predicted ends, or last bytes, match
 * the recorded ones.
 *
 * What is matched is not the end itself but the time since the end before it in the group, because
 * a link whose rate fluctuates is late for good once it is late. Its noise is a time plus a share
 * of the stream's time on the wire, both told from the errors of a first fit; Huber's loss with the
 * scale of the median absolute deviation keeps outliers from mattering. NLopt's Subplex (LN_SBPLX),
 * from several deterministic starts; numbers are at least 0. Standard errors are those of the
 * linearised model.
 *
 * Where transfers follow each other without a gap and are parsed one after another, ends tell only
 * the sum of alpha and 1 / rate. If both are to be fitted and alpha = 0 does about as well (the
 * deviance is less than 10 apart), alpha is 0 and the rate has all of it.
 * @param groups the streams
 * @param link window (to start from, if it is fitted), rule, and the numbers that are not fitted; a
 *        rate of 0 with LinkFitOptions::rate
 * @param options what to fit
 * @return the fit
 * @throws InputError if there are no streams with bytes to fit to, or as PredictStreams()
 */
LinkFit FitLink(const std::vector<StreamGroup>& groups,
                const LinkModel& link,
                const LinkFitOptions& options);

} // namespace dml
} // namespace ns3

#endif /* DML_LINK_FIT_H */
