/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_LAYERS_FILE_H
#define DML_TORCH_LAYERS_FILE_H

#include "dml-layer-times.h"

#include "ns3/dml-json-cursor.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Content of a PyTorch layer profile (JSON, schema "torch-layer-profile/1").
 */
struct TorchLayersFile
{
    JsonCursor meta;                  //!< the file's description of itself
    std::string model{};              //!< name of the neural network
    uint32_t batchSize{0};            //!< samples per step
    uint32_t steps{0};                //!< measured steps
    std::vector<LayerTimes> layers{}; //!< in forward order, one value per measured step
    /// Lengths of the measured steps, by CPU time where it was taken; empty if the file has none.
    std::vector<Ticks> measuredSteps{};
    std::vector<Ticks> plainSteps{}; //!< lengths of other steps, without instruments; may be empty
    bool plainOnCpu{false};          //!< plainSteps are CPU time, not wall-clock time
};

/**
 * @ingroup dml-import
 * @brief Read a PyTorch layer profile.
 * @param input the file's content
 * @param file name of the file in messages
 * @return what it holds
 * @throws InputError naming file, line, column and JSON path if the file is not JSON, incomplete,
 * or its parts do not fit together
 */
TorchLayersFile ReadTorchLayers(std::istream& input, const std::string& file);

} // namespace ns3::dml

#endif /* DML_TORCH_LAYERS_FILE_H */
