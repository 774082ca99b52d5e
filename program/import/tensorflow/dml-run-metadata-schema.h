/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_METADATA_SCHEMA_H
#define DML_RUN_METADATA_SCHEMA_H

#include "dml-tf-step.h"

#include <google/protobuf/message.h>
#include <memory>
#include <string>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-import
 * @brief Those messages of TensorFlow's RunMetadata that an import reads, without generated code.
 *
 * Field names and numbers are those of step_stats.proto and its imports; fields that are not needed
 * are left out, and skipped by the parsers as unknown.
 */
class RunMetadataSchema
{
  public:
    /// @return the schema
    static const RunMetadataSchema& Get();

    RunMetadataSchema(const RunMetadataSchema&) = delete;
    RunMetadataSchema& operator=(const RunMetadataSchema&) = delete;
    ~RunMetadataSchema();

    /// Numbers of the fields around a node's record.
    enum Field : int
    {
        STEP_STATS = 1, //!< RunMetadata.step_stats
        DEV_STATS = 1,  //!< StepStats.dev_stats
        DEVICE = 1,     //!< DeviceStepStats.device
        NODE_STATS = 2, //!< DeviceStepStats.node_stats
    };

    /// @param text a name; @param place of it, for messages; @throws InputError if it is not UTF-8
    static void CheckText(const std::string& text, const std::string& place);

    /// @return an empty NodeExecStats
    std::unique_ptr<google::protobuf::Message> MakeNode() const;

    /**
     * @brief Add what a NodeExecStats says to a step.
     *
     * Times in nanoseconds (TensorFlow >= 1.13) win over those in microseconds. A RecvTensor's size
     * is that of its output, or else what the label says.
     * @param node a NodeExecStats
     * @param isGpuTrace whether the device is a GPU tracer's, which names nodes "NODE:TYPE"
     * @param place where it was read, for messages
     * @param step gets an op or a receive, without its device
     * @throws InputError if a time or a size is out of range, or a node has no name
     */
    void Add(const google::protobuf::Message& node,
             bool isGpuTrace,
             const std::string& place,
             TfStep& step) const;

  private:
    struct Tables;

    RunMetadataSchema();

    std::unique_ptr<Tables> m_tables; //!< descriptors
};

} // namespace dml
} // namespace ns3

#endif /* DML_RUN_METADATA_SCHEMA_H */
