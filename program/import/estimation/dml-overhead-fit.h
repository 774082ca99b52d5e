/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OVERHEAD_FIT_H
#define DML_OVERHEAD_FIT_H

#include "dml-link-fit.h"
#include "dml-window-estimate.h"

#include "ns3/dml-recorded-transfer.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Why keys of a scenario are not told, one sentence each; empty: they are.
struct OverheadRefusals
{
    std::string rate;     //!< network.rate
    std::string alpha;    //!< overhead.alpha
    std::string beta;     //!< overhead.beta
    std::string parallel; //!< overhead.parallel
};

/// What one model of parsing makes of recorded transfers.
struct ModelFit : LinkFit
{
    WindowEstimate window; //!< what the order of ends tells of WIN
};

/**
 * @ingroup dml-import
 * @brief Parse overhead, rate and window that explain recorded transfers.
 *
 * The loss is that of the model that is taken.
 */
struct OverheadFit : ModelFit
{
    /// By how much (minus two log-likelihoods) the other model of parsing explains the records
    /// less well; 0 if both predict the same.
    double deviance{0};
    std::size_t fitted{0};           //!< groups that rate and window were fitted to
    std::size_t wireTimes{0};        //!< streams whose last byte is known
    std::size_t shared{0};           //!< groups during which another one used the same link
    double medianResidual{0};        //!< of predicted minus recorded ends, absolute, in seconds
    double percentile95{0};          //!< as above
    EndTimeError error;              //!< prediction of the ends of downlink streams
    std::vector<StreamGroup> groups; //!< the streams that were used
    OverheadRefusals refusals;       //!< keys that these records do not tell
    /// What was assumed and what cannot be told, one sentence each, with numbers.
    std::vector<std::string> rules;
    /// What looks wrong but does not prevent the fit, one sentence each.
    std::vector<std::string> warnings;

    /// @return whether a key of `overhead` or `network` is told that was not given
    bool TellsAnything() const;
};

/**
 * @brief Fit parse overhead, rate and window to recorded transfers.
 *
 * With the times of last bytes (Li et al., ICPE 2020, section 4: from captured packets) alpha and
 * beta are a line through end minus last byte, and FitLink() fits the rate to the last bytes; else
 * it fits all of them to the ends, and the result says what it could not tell apart.
 * EstimateWindow() tells an interval of WIN from the order of ends; in it FitLink() fits WIN with
 * the rest, from the best of nine windows on. Of more than 2000 streams a sample of the groups is
 * fitted to. Downlinks only, unless there are none: uplinks are recorded by another machine.
 *
 * All that is done for both models of parsing, with a resource of its own (`parallel: true`) and on
 * the receiver's device, between what that computes. The one with the smaller mean error is taken;
 * if the other one is not clearly worse (a deviance of 10), intervals are those of both.
 * Judge() says which keys the records tell.
 * @param transfers records, of any number of steps
 * @param rate of the link in tensor bytes per second, above 0; nothing: it is fitted
 * @param device what the receiver computed
 * @return the fit
 * @throws InputError if there is no transfer to fit to, or the rate is out of range
 */
OverheadFit FitOverhead(const std::vector<RecordedTransfer>& transfers,
                        std::optional<double> rate = {},
                        const RecordedDevice& device = {});

/**
 * @brief Say what was assumed, what the records cannot tell, what looks wrong, and which keys of a
 * scenario a fit does not tell.
 *
 * None of a model that does not explain the records: predicted ends are off by more than 10 % in
 * the median or by more than half in the 95th percentile (last bytes, of a rate that is fitted to
 * them), relative to them or, if that is more, to a tenth of their group's length. None of a link
 * that others use at the same time, which the model does not have. No rate whose interval has a
 * ratio of more than 1.5 between its ends; no alpha whose interval is wider than 0.3 of alpha + 1 /
 * rate; no beta whose interval is wider than 0.3 of what the median message takes in all.
 * `parallel` if the other model does as well.
 * @param[in,out] fit complete but for its rules, warnings and refusals
 */
void Judge(OverheadFit& fit);

/**
 * @brief The result as part of a scenario (YAML).
 * @param fit the result
 * @param payloadShare tensor bytes per byte of the link's capacity, in (0, 1]: the scenario names
 * the rate of the link itself (see GetGoodput())
 * @return `transfer`, `overhead` and `network`, with 95 % intervals; what is refused as a comment
 */
std::string WriteOverheadYaml(const OverheadFit& fit, double payloadShare);

} // namespace ns3::dml

#endif /* DML_OVERHEAD_FIT_H */
