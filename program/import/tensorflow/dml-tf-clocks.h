/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_CLOCKS_H
#define DML_TF_CLOCKS_H

#include "ns3/dml-recorded-transfer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Offsets of the clocks of a worker's parameter servers.
struct TfClocks
{
    /// What a machine's clock shows minus what the worker's shows, ns.
    std::map<std::string, int64_t> offsets;
    std::vector<std::string> rules;    //!< offset of each machine, and how well it is known
    std::vector<std::string> warnings; //!< transfers that contradict each other
};

/**
 * @ingroup dml-import
 * @brief Bring recorded transfers to the worker's clock.
 *
 * A clock is left as it is (offset 0) if it may be right and receive times do not tell by how much
 * it would be wrong; else AlignClocks() tells its offset.
 * @param[in,out] transfers of all steps
 * @param worker machine whose clock is right
 * @return what was applied
 * @throws InputError if times are centuries apart
 */
TfClocks AlignTfTransfers(std::vector<RecordedTransfer>& transfers, const std::string& worker);

} // namespace ns3::dml

#endif /* DML_TF_CLOCKS_H */
