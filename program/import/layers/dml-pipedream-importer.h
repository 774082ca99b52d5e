/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PIPEDREAM_IMPORTER_H
#define DML_PIPEDREAM_IMPORTER_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Import layer graphs of PipeDream's profiler (graph.txt; Narayanan et al., SOSP 2019).
 *
 * ReadPipedreamGraph() says what such a file holds, LayerProfileBuilder which ops become of it.
 * What the file does not say is inferred: layers run forward in topological order and backward in
 * the opposite one, without gaps; a layer's parameters (PipeDream sums its weight and bias) are one
 * tensor, whose gradient is complete when the layer's backward is; updates take no time. The
 * `Input` node, whose time is that of loading data, is left out. The batch size is that of the
 * first `Linear(out_features=N)` whose activation is a whole number of N floats of 4 bytes, and the
 * model is the file's name up to its first dot, or its folder if that is `graph`.
 *
 * Each file becomes one sampled step.
 * @param files paths, plain or gzipped, at least one, all of one model
 * @param options the user's choices; taken are model, batchSize, order, device (default "gpu")
 * @return the profile and how it was made; a file has no measured step
 * @throws InputError as ReadPipedreamGraph(), or if files differ in their layers, no layer is left,
 * or the batch size is unknown
 */
ImportResult ImportPipedream(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of layer graphs of PipeDream
ImportFormat PipedreamFormat();

} // namespace ns3::dml

#endif /* DML_PIPEDREAM_IMPORTER_H */
