/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_IMPORTER_H
#define DML_TORCH_IMPORTER_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Import traces of PyTorch's profiler (torch.profiler.export_chrome_trace), of any version
 * since 1.8, from a CPU or a GPU.
 *
 * Takes the options model, batchSize, idle, device, sizes and skip. TorchStepAnatomy,
 * TorchStepTimer, TorchParameterFinder, TorchTensorFinder and TorchJobBuilder say what becomes of a
 * trace, and ImportResult::rules how often each rule was used.
 *
 * The optimizer's step becomes updates on the parameter server. One worker there finishes earlier
 * than the recorded step, as updates overlap with back-propagation.
 *
 * @param files traces of one job, plain or gzipped, at least one
 * @param options the user's choices
 * @return the profile
 * @throws InputError naming file and place if a file is damaged or no such trace, tells no
 * gradients, or does not tell sizes of tensors or the batch size and the options do not either
 */
ImportResult ImportKineto(const std::vector<std::string>& files, const ImportOptions& options);

/**
 * @ingroup dml-import
 * @brief Import traces of PyTorch's profiler from before Kineto (torch.autograd.profiler's
 * export_chrome_trace), a bare list of events.
 *
 * They have neither shapes nor sequence numbers: sizes of all tensors are to be given by hand, by
 * the names that ImportKineto() would give them.
 *
 * @param files traces of one job, plain or gzipped, at least one
 * @param options the user's choices, as of ImportKineto()
 * @return the profile
 * @throws InputError as ImportKineto()
 */
ImportResult ImportTorchLegacy(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of traces of Kineto
ImportFormat KinetoFormat();

/// @return the format of traces from before Kineto
ImportFormat TorchLegacyFormat();

} // namespace ns3::dml

#endif /* DML_TORCH_IMPORTER_H */
