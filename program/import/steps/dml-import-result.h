/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_RESULT_H
#define DML_IMPORT_RESULT_H

#include "dml-found-protocol.h"
#include "dml-recorded-device.h"
#include "dml-recorded-transfer.h"

#include "ns3/dml-profile.h"

#include <string>
#include <vector>

namespace ns3::dml
{

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
    uint64_t bytesRead{0}; //!< size of the files, uncompressed
};

} // namespace ns3::dml

#endif /* DML_IMPORT_RESULT_H */
