/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_FIT_H
#define DML_LINK_FIT_H

#include "dml-stream-model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A model is better than another one if its deviance (minus two log-likelihoods) is less by this.
constexpr double LEAST_DEVIANCE = 10;

/// A number that was fitted or given.
struct FittedValue
{
    double value{0};    //!< the number
    double lower{0};    //!< where its 95 % interval begins
    double upper{0};    //!< where it ends; infinite if the records give no upper end
    bool fitted{false}; //!< whether it was fitted; else the interval is the number
};

/// Which of a link's numbers are fitted besides latency, alpha and beta; the others stay as they
/// are.
struct LinkFitOptions
{
    bool rate{true}; //!< the rate
    /// Range of WIN in bytes, if it is fitted: from the first to the second.
    std::optional<std::pair<uint64_t, uint64_t>> window;
    /// Match last bytes instead of ends; streams without one are left out. They do not depend on
    /// alpha and beta, which are not fitted then.
    bool lastBytes{false};
    bool intervals{true}; //!< find intervals too, which takes longer than the fit
};

/// What was found of parsing, and how well it explains the records.
struct ParsingFit
{
    FittedValue alpha;   //!< seconds per byte
    FittedValue beta;    //!< seconds per message
    double loss{0};      //!< mean absolute error, seconds
    std::size_t used{0}; //!< number of streams
};

/**
 * @ingroup dml-import
 * @brief A link model fitted to recorded ends.
 */
struct LinkFit : ParsingFit
{
    LinkModel link;             //!< with the fitted numbers
    FittedValue latency;        //!< from request to first byte, seconds
    FittedValue secondsPerByte; //!< 1 / rate
    FittedValue windowBytes;    //!< WIN, bytes; not fitted unless asked for
    /// Whether the data need alpha: false if a rate alone explains them as well. It is 0 then.
    bool alphaNeeded{true};
};

/**
 * @brief Fit latency, 1 / rate, alpha, beta and WIN so that predicted ends, or last bytes, match
 * the recorded ones.
 *
 * Errors are those of StreamErrors, with gain and noise told from a first fit; Huber's loss with
 * the scale of the median absolute deviation keeps outliers from mattering. Where the search begins
 * is the best of a grid of rates and overheads: SearchFit() goes on from there. Numbers are at
 * least 0, intervals those of FindIntervals().
 *
 * Where transfers follow each other without a gap and are parsed one after another, ends tell
 * little more than the sum of alpha and 1 / rate. If both are to be fitted and alpha = 0 does about
 * as well (the deviance is less than 10 apart), alpha is 0 and the rate has all of it; the
 * intervals are those of the fit that has both.
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

/**
 * @ingroup dml-import
 * @brief Fit a line to overheads: end minus the later of last byte and parser free, over bytes.
 *
 * The parser is free after the messages that ended before, of this connection or another one, and
 * if it is the receiver's device also after what that computed. Huber's loss; alpha and beta are at
 * least 0; intervals as of FindIntervals(). Source: Li et al., ICPE 2020, section 4.
 * @param groups streams; those without a last byte only tell when the parser is free
 * @param parallel parsing has a resource of its own
 * @return the line
 * @throws InputError if there are fewer than two streams with a last byte
 */
ParsingFit FitParsing(const std::vector<StreamGroup>& groups, bool parallel);

} // namespace ns3::dml

#endif /* DML_LINK_FIT_H */
