/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OVERHEAD_FIT_H
#define DML_OVERHEAD_FIT_H

#include "dml-end-time-error.h"
#include "dml-link-fit.h"
#include "dml-window-estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/// What is known of a link before its overhead is fitted.
struct OverheadFitOptions
{
    std::optional<double> rate;            //!< tensor bytes per second, above 0
    std::optional<uint64_t> window;        //!< WIN in bytes; LinkModel::NO_WINDOW: no flow control
    bool parallel{false};                  //!< messages are parsed side by side
    StreamStart starts{StreamStart::AUTO}; //!< what recorded starts mean
    /// What follows a stream's first turn.
    StreamWindowModel::Rule rule{StreamWindowModel::Rule::TWO_TURNS};
};

/**
 * @ingroup dml-import
 * @brief Parse overhead, rate and window that explain recorded transfers.
 */
struct OverheadFit
{
    LinkModel link;             //!< what to calculate with
    FittedValue latency;        //!< from request to first byte, seconds
    FittedValue secondsPerByte; //!< 1 / rate
    FittedValue alpha;          //!< parsing, seconds per byte
    FittedValue beta;           //!< parsing, seconds per message
    bool alphaNeeded{true};  //!< false if the records tell only alpha + 1 / rate; alpha is 0 then
    FittedValue windowBytes; //!< WIN in bytes; not fitted if it was given or nothing tells of it
    std::optional<WindowEstimate> window; //!< unless it was given
    std::size_t used{0};                  //!< streams that alpha and beta were fitted to
    std::size_t fitted{0};                //!< groups that rate and window were fitted to
    std::size_t wireTimes{0};             //!< streams whose last byte is known
    double medianResidual{0};        //!< of predicted minus recorded ends, absolute, in seconds
    double percentile95{0};          //!< as above
    EndTimeError error;              //!< prediction of the ends of downlink streams
    std::vector<StreamGroup> groups; //!< the streams that were used
    /// What was assumed and what cannot be told, one sentence each, with numbers.
    std::vector<std::string> rules;
    /// What looks wrong but does not prevent the fit, one sentence each.
    std::vector<std::string> warnings;
};

/**
 * @brief Fit a line to overheads: end minus the later of last byte and parser free, over bytes.
 *
 * Iteratively reweighted least squares with Huber's weights; alpha and beta are at least 0.
 * @param groups streams; those without a last byte only tell when the parser is free
 * @param parallel messages are parsed side by side, so that none waits for the one before it
 * @param[out] used number of streams
 * @return alpha and beta
 * @throws InputError if there are fewer than two streams with a last byte
 */
std::pair<FittedValue, FittedValue> FitParsing(const std::vector<StreamGroup>& groups,
                                               bool parallel,
                                               std::size_t& used);

/**
 * @brief Fit parse overhead, rate and window to recorded transfers.
 *
 * With the times of last bytes (Li et al., ICPE 2020, section 4: from captured packets) alpha and
 * beta are a line through end minus last byte, and FitLink() fits the rate to the last bytes; else
 * it fits all of them to the ends, and the result says what it could not tell apart.
 * EstimateWindow() tells an interval of WIN from the order of ends; in it FitLink() fits WIN with
 * the rest, from the best of nine windows on. Latency is fitted to three groups or more, else it is
 * 0. Of more than 2000 streams a sample of the groups is fitted to. Downlinks only, unless there
 * are none: uplinks are recorded by another machine.
 * @param transfers records, of any number of steps
 * @param options what is known
 * @return the fit
 * @throws InputError if there is no transfer to fit to, or an option is out of range
 */
OverheadFit FitOverhead(const std::vector<RecordedTransfer>& transfers,
                        const OverheadFitOptions& options = {});

/**
 * @brief The result as part of a scenario (YAML).
 * @param fit the result
 * @param payloadShare tensor bytes per byte of the link's capacity, in (0, 1]: the scenario names
 * the rate of the link itself (see GetGoodput())
 * @return `transfer`, `overhead` and `network`, with comments on how well they are known
 */
std::string WriteOverheadYaml(const OverheadFit& fit, double payloadShare);

} // namespace dml
} // namespace ns3

#endif /* DML_OVERHEAD_FIT_H */
