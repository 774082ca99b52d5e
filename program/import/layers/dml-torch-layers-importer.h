/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_LAYERS_IMPORTER_H
#define DML_TORCH_LAYERS_IMPORTER_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Import PyTorch layer profiles (JSON, schema "torch-layer-profile/1") of one model; the
 * steps of all files are sampled steps.
 *
 * A file lists the layers of a model in forward order, each with the layers it reads (`deps`),
 * forward and backward microseconds per measured step (`fwd_us`, `bwd_us`, `bwd_end_us`), and per
 * parameter tensor its bytes, when its gradient was complete (`grad_ready_us`), how long completing
 * it took (`accum_us`) and how long the optimizer took to apply it (`update_us`). Ends are counted
 * from the start of the backward pass. LayerProfileBuilder says which ops become of it.
 * `Profile::source` tells where and how the measurement was made.
 *
 * Measured steps are those in which the layers were measured, instruments included, by CPU time
 * where it was taken (`hooked_cpu`), else the sum of `hooked_fwd`, `hooked_bwd` and `hooked_upd`.
 * @param files paths, plain or gzipped, at least one
 * @param options the user's choices; taken are model, batchSize, order (default dataflow), device
 * (default "cpu"), skip
 * @return the profile, valid, and how it was made
 * @throws InputError naming file, line, column and JSON path if a file cannot be read, is not JSON,
 * is incomplete, or its parts do not fit together, or if the files differ in model, batch size or
 * layers
 */
ImportResult ImportTorchLayers(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of PyTorch layer profiles
ImportFormat TorchLayersFormat();

} // namespace ns3::dml

#endif /* DML_TORCH_LAYERS_IMPORTER_H */
