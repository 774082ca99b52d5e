/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TENSORFLOW_IMPORTER_H
#define DML_TENSORFLOW_IMPORTER_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Import steps of TensorFlow 1 from RunMetadata files, binary or text.
 *
 * Each file is one session.run with trace_level FULL_TRACE, hence one step. TfStepBuilder says
 * which ops become of it. Fields as in step_stats.proto of TensorFlow.
 *
 * @param files at least one, plain or gzipped, of one job
 * @param options model, batch size (which no such file tells), order, idle, worker; sizes and rate
 * for a RecvTensor whose size was not recorded
 * @return the profile, valid; steps; transfers, all times on the worker's clock as far as it can be
 * told (AlignTfTransfers())
 * @throws InputError naming file and place if a file is damaged, incomplete or of another type; if
 * the worker to import is not in it; or if MergeSteps() refuses the steps
 */
ImportResult ImportRunMetadata(const std::vector<std::string>& files, const ImportOptions& options);

/**
 * @ingroup dml-import
 * @brief Import steps of TensorFlow 1 from timelines (Chrome trace JSON of timeline.py).
 *
 * A timeline tells neither tensor nor size of a RecvTensor: MatchTfReceives() finds the tensors,
 * and sizes are the user's (options.sizes) or estimated from options.rate.
 *
 * @param files as above
 * @param options as above
 * @return as above
 * @throws InputError as above, or if a tensor's size is unknown
 */
ImportResult ImportTfTimeline(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of RunMetadata
ImportFormat RunMetadataFormat();

/// @return the format of timelines
ImportFormat TfTimelineFormat();

} // namespace ns3::dml

#endif /* DML_TENSORFLOW_IMPORTER_H */
