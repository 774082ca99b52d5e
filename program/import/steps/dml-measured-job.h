/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MEASURED_JOB_H
#define DML_MEASURED_JOB_H

#include "ns3/dml-op.h"
#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief One op as a trace saw it in one step. Names tie the ops of several steps together.
 */
struct MeasuredOp
{
    std::string name;              //!< unique in its step, the same in every step
    OpKind kind{OpKind::COMPUTE};  //!< what it does
    std::string device;            //!< where it ran; empty for transfers and updates
    std::string tensor;            //!< tensor moved or updated, else empty
    std::vector<std::string> deps; //!< names of the ops it waits for
    int64_t start{0};              //!< ns on the trace's clock
    int64_t duration{0};           //!< ns, at least 0; of transfers: as recorded
    OpMemory memory{};             //!< what it holds, if the trace tells
};

/// One step of one worker as a trace saw it.
struct MeasuredStep
{
    std::string place;           //!< "file" or "file: ProfilerStep#3", for messages
    int64_t start{0};            //!< ns, start of the step
    int64_t end{0};              //!< ns, end of the step
    std::vector<MeasuredOp> ops; //!< in listing order
};

/**
 * @ingroup dml-import
 * @brief What an importer found: the steps of one training job on one worker.
 */
struct MeasuredJob
{
    std::string model;               //!< name of the neural network, or empty
    uint32_t batchSize{0};           //!< samples per step, or 0 if the trace does not say
    uint64_t inputBytes{0};          //!< as Profile has it
    uint64_t residentBytes{0};       //!< likewise
    std::vector<Tensor> tensors;     //!< in listing order
    std::vector<Device> devices;     //!< devices that the ops name
    std::vector<MeasuredStep> steps; //!< at least one
    /// Free key-value pairs for Profile::source.
    std::vector<std::pair<std::string, std::string>> source;
};

} // namespace ns3::dml

#endif /* DML_MEASURED_JOB_H */
