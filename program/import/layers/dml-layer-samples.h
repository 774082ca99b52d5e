/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LAYER_SAMPLES_H
#define DML_LAYER_SAMPLES_H

#include "dml-layer-times.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Add the measured steps of another file of the same model behind those that are known.
 * @param layers what is known, all lists of the same length; empty if nothing is
 * @param more layers of the other file
 * @param file name of the other file in messages
 * @throws InputError naming the file and the first layer that differs in name, inputs or parameters
 */
void AppendSteps(std::vector<LayerTimes>& layers,
                 const std::vector<LayerTimes>& more,
                 const std::string& file);

/**
 * @ingroup dml-import
 * @brief Leave out measured steps, such as those before the caches were warm.
 * @param layers layers, all lists of the same length
 * @param skip number of steps to leave out at the start
 * @param file name of the file in messages
 * @throws InputError if no step is left
 */
void SkipSteps(std::vector<LayerTimes>& layers, uint32_t skip, const std::string& file);

} // namespace ns3::dml

#endif /* DML_LAYER_SAMPLES_H */
