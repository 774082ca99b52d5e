/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_OPTIONS_H
#define DML_IMPORT_OPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What decides the order of compute ops in an imported profile.
enum class ComputeOrder : uint8_t
{
    DATAFLOW, //!< data dependencies only: branches may run in any order, FIFO by ready time
    MEASURED, //!< each compute op also waits for the one before it in the measured program order
};

/// What becomes of the time during which no recorded op runs.
enum class IdleTime : uint8_t
{
    KEEP, //!< it lengthens the op after it (default)
    DROP, //!< it is left out
};

/// What becomes of the clocks of several machines.
enum class TraceClocks : uint8_t
{
    ALIGNED,  //!< they are brought to one (default)
    RECORDED, //!< they are taken for one
};

/**
 * @ingroup dml-import
 * @brief What a user may choose when importing. Each format says which of them it takes.
 */
struct ImportOptions
{
    std::optional<std::string> model;  //!< name of the neural network
    std::optional<uint32_t> batchSize; //!< samples per step
    std::optional<ComputeOrder> order; //!< what decides the order of compute ops
    std::optional<IdleTime> idle;      //!< what becomes of unexplained time
    std::optional<TraceClocks> clocks; //!< what becomes of the clocks of several machines
    std::optional<std::string> device; //!< name of the device, where the file names none
    std::optional<std::string> worker; //!< the worker to import, where a trace has several
    /// Sizes of tensors in bytes by name, for traces that do not tell them.
    std::map<std::string, uint64_t> sizes;
    std::optional<uint64_t> rate; //!< bit/s of the link that the trace was recorded on
    /// Path of a profile of the same job, for traces without computation.
    std::optional<std::string> profile;
    /// Files with records of parameter servers only, which all steps take part in.
    std::vector<std::string> servers;
    std::optional<uint32_t> skip; //!< steps left out at the start of each file
};

} // namespace ns3::dml

#endif /* DML_IMPORT_OPTIONS_H */
