/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MATCH_EFFECTS_H
#define DML_MATCH_EFFECTS_H

#include "ns3/dml-recorded-run.h"
#include "ns3/dml-scenario.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Parts into which an effect divides the time of steps.
struct EffectParts
{
    std::vector<std::string> names; //!< in the order of tables
    /// Finds the part that the time belongs to which ends with the arrival of a transfer: (number
    /// of the step in RecordedRun::steps, transfer). Nothing: the time is none of the effect's.
    std::function<std::optional<std::size_t>(std::size_t, const StepTransfer&)> find;
    std::string obstacle; //!< why the run does not tell them, or empty
};

/**
 * @ingroup dml-match
 * @brief Something that may make the steps of another engine take longer than the fair-share
 * engine's.
 */
struct MatchEffect
{
    const char* name; //!< one word
    const char* text; //!< what it is, for people, without a dot
    /// Divides the time of recorded steps; null: no run tells how.
    EffectParts (*divide)(const RecordedRun& run);
    /// Gives settings of a scenario, each "key.path=value", with which packets do not have the
    /// effect; none: they have not got it. Null: no key can say that.
    std::vector<std::string> (*without)(const Scenario& scenario);
};

/// @return all of them, in the order of tables
const std::vector<MatchEffect>& GetMatchEffects();

// Each in a file of its own.

/// @return pulls, and pushes
MatchEffect DirectionEffect();

/// @return how many other workers were in the same phase when a phase began
MatchEffect OthersEffect();

/// @return how many other workers sent data the other way, behind which acknowledgements wait
MatchEffect AcksEffect();

/// @return which link of its route leaves a transfer least
MatchEffect PortEffect();

/// @return how large the tensor is
MatchEffect SizeEffect();

/// @return losses in switch ports
MatchEffect LossEffect();

/// @return one FIFO queue for all in a port
MatchEffect FifoEffect();

/// @return TCP's slow start
MatchEffect SlowStartEffect();

/// @return send buffers of TCP that are smaller than Linux has them
MatchEffect BuffersEffect();

/// @return delays of links
MatchEffect DelaysEffect();

/// @return round trips of hosts that are not equal
MatchEffect RoundTripsEffect();

/// @return congestion windows that shrink in pauses
MatchEffect IdleEffect();

/// @return HTTP/2 as the transport
MatchEffect Http2Effect();

/// @return segments that leave a host in bursts
MatchEffect BurstsEffect();

/// @return acknowledgements after a random time
MatchEffect LateAcksEffect();

} // namespace ns3::dml

#endif /* DML_MATCH_EFFECTS_H */
