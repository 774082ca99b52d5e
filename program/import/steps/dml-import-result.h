/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_RESULT_H
#define DML_IMPORT_RESULT_H

#include "dml-recorded-transfer.h"

#include "ns3/dml-profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief A collective that reduces gradients in every step, as traces of one or several workers
 * recorded it.
 */
struct RecordedCollective
{
    uint64_t bytes{0};                //!< of its message
    std::vector<std::string> tensors; //!< gradients in it, if known
    /// s, from its start to its end on a worker, waiting for the slowest one included, for each
    /// worker and step; empty if the traces do not tell
    std::vector<double> recorded;
    /// s, the shortest that any worker recorded of the same collective: that of the last one to
    /// come, which waited for nobody. As many as `recorded`, or empty if one worker recorded it.
    std::vector<double> transfer;
};

/// How the workers of a trace synchronised their gradients.
struct FoundProtocol
{
    std::string name;                            //!< as of `job.protocol`, or empty: none was found
    std::string backend;                         //!< library that did it, as "nccl", or empty
    uint32_t workers{0};                         //!< workers that took part, or 0 if unknown
    uint32_t traced{0};                          //!< workers of which a trace is there
    bool hasOthers{false};                       //!< collectives that reduce no gradients
    std::vector<RecordedCollective> collectives; //!< of one step, in their order
};

/**
 * @ingroup dml-import
 * @brief A profile made from a trace, and what the user should know about how it was made.
 */
struct ImportResult
{
    Profile profile; //!< valid
    /// What the trace does not say and the importer inferred, one sentence each with numbers, as
    /// "gradient ready: end of AccumulateGrad (10 of 10 tensors)". Printed in this order.
    std::vector<std::string> rules;
    /// What looks wrong but does not prevent the import, one sentence each.
    std::vector<std::string> warnings;
    /// Measured length of each sampled step in seconds, communication included where the trace has
    /// any; empty if the trace does not say.
    std::vector<double> stepSeconds;
    /// What each sampled step is called, as "t.json: ProfilerStep#3"; empty as above, or if steps
    /// have no names.
    std::vector<std::string> stepNames;
    /// Seconds of each sampled step during which no recorded op or transfer ran; empty as above.
    std::vector<double> unexplainedSeconds;
    /// Why a one-worker replay need not match `stepSeconds`, one sentence, or empty.
    std::string replayCaveat;
    /// Transfers as recorded, of all steps; empty if the trace has none.
    std::vector<RecordedTransfer> transfers;
    /// What the worker's first device ran in these steps.
    RecordedDevice device;
    /// How workers synchronised their gradients, as far as importers tell; recorded transfers tell
    /// of parameter servers.
    FoundProtocol protocol;
    std::optional<uint32_t> worker; //!< number of the worker that recorded, if its file tells
    uint64_t bytesRead{0};          //!< size of the files, uncompressed
};

} // namespace ns3::dml

#endif /* DML_IMPORT_RESULT_H */
