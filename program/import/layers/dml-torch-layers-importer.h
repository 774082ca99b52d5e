/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_LAYERS_IMPORTER_H
#define DML_TORCH_LAYERS_IMPORTER_H

#include "dml-layer-profile-builder.h"

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-result.h"
#include "ns3/dml-profile.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What a user may choose when importing.
struct TorchLayersOptions
{
    ComputeOrder order{ComputeOrder::DATAFLOW}; //!< what decides the order of compute ops
    std::string device{"cpu"};                  //!< name of the device in the profile
};

/**
 * @ingroup dml-import
 * @brief Import a PyTorch layer profile (JSON, schema "torch-layer-profile/1").
 *
 * The file lists the layers of a model in forward order, each with the layers it reads (`deps`),
 * forward and backward microseconds per measured step (`fwd_us`, `bwd_us`, `bwd_end_us`), and per
 * parameter tensor its bytes, when its gradient was complete (`grad_ready_us`), how long completing
 * it took (`accum_us`) and how long the optimizer took to apply it (`update_us`). Ends are counted
 * from the start of the backward pass. LayerProfileBuilder says which ops become of it.
 * `Profile::source` tells where and how the measurement was made.
 *
 * @param input the file's content
 * @param file name of the file in messages; its last part goes into Profile::source
 * @param options the user's choices
 * @return the profile, valid
 * @throws InputError naming file, line, column and JSON path if the file is not JSON, incomplete,
 * or its parts do not fit together
 */
Profile ImportTorchLayers(std::istream& input,
                          const std::string& file,
                          const TorchLayersOptions& options = {});

/**
 * @ingroup dml-import
 * @brief Import a PyTorch layer profile from a file.
 * @param file path of the file
 * @param options the user's choices
 * @return the profile, valid
 * @throws InputError as above, or if the file cannot be read
 */
Profile ImportTorchLayers(const std::string& file, const TorchLayersOptions& options = {});

/**
 * @ingroup dml-import
 * @brief Import PyTorch layer profiles of one model; the steps of all files are sampled steps.
 *
 * Measured steps are those in which the layers were measured, instruments included, by CPU time
 * where it was taken (`hooked_cpu`), else the sum of `hooked_fwd`, `hooked_bwd` and `hooked_upd`.
 * @param files paths, plain or gzipped, at least one
 * @param options the user's choices; taken are model, batchSize, order, device (default "cpu"),
 * skip
 * @return the profile and how it was made
 * @throws InputError as above, or if the files differ in model, batch size or layers
 */
ImportResult ImportTorchLayers(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of PyTorch layer profiles
ImportFormat TorchLayersFormat();

} // namespace ns3::dml

#endif /* DML_TORCH_LAYERS_IMPORTER_H */
