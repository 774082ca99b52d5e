/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRADIENT_LOG_H
#define DML_GRADIENT_LOG_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A gradient: what a worker computed in a step. Or versions that a checkpoint has brought back.
struct LoggedGradient
{
    uint32_t worker{0}; //!< that computed it
    uint32_t step{0};   //!< of the worker
    uint32_t batch{1};  //!< samples; 0: a checkpoint's
};

/// Of a gradient, what changed a tensor.
struct LoggedUpdate
{
    uint32_t gradient{0}; //!< index in GradientLog::gradients
    uint32_t tensor{0};   //!< index in GradientLog::tensors
    uint64_t read{0};     //!< version of the tensor on which it was computed
    uint64_t made{0};     //!< version that has it in it
    double time{0};       //!< when that was there, seconds from the start of the run
    std::size_t line{0};  //!< of the file
};

/**
 * @ingroup dml-learn
 * @brief The gradients of a run, in the order in which it applied them.
 */
struct GradientLog
{
    std::string file;                      //!< that it was read from
    std::string variant;                   //!< values of the swept keys
    uint32_t workers{1};                   //!< number of workers
    std::string engine;                    //!< name
    uint32_t replication{0};               //!< number
    std::vector<uint64_t> tensors;         //!< bytes of each tensor with gradients
    std::vector<LoggedGradient> gradients; //!< in the order of their first update
    std::vector<LoggedUpdate> updates;     //!< by version of each tensor

    /// @return how many versions were made of a tensor between those that a gradient was computed
    /// on and that it was put into, mean of all gradients' updates; 0 with a barrier
    double GetMeanStaleness() const;
};

/**
 * @brief Read versions.csv and steps.csv of a folder of results.
 *
 * Of a step that a worker has lost in a crash, and does again, each tensor that was updated before
 * is a gradient of its own.
 * @param folder of the results
 * @return a log for each run, in the order of the file
 * @throws InputError with file, line and column if they cannot be read, are something else, or were
 * not written (output.versions)
 */
std::vector<GradientLog> ReadGradientLogs(const std::string& folder);

} // namespace ns3::dml

#endif /* DML_GRADIENT_LOG_H */
