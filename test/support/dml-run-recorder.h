/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_RECORDER_H
#define DML_RUN_RECORDER_H

#include "ns3/dml-run-observer.h"

#include <vector>

namespace ns3
{
namespace dml
{

/// Keeps all records of a run.
class RunRecorder : public RunObserver
{
  public:
    void StepEnded(const StepRecord& record) override
    {
        steps.push_back(record);
    }

    void TransferEnded(const TransferRecord& record) override
    {
        transfers.push_back(record);
    }

    void ChunkEnded(const ChunkRecord& record) override
    {
        chunks.push_back(record);
    }

    void LinkUsed(const LinkRecord& record) override
    {
        links.push_back(record);
    }

    void FlowUsed(const FlowRecord& record) override
    {
        flows.push_back(record);
    }

    void WorkerCrashed(const CrashRecord& record) override
    {
        crashes.push_back(record);
    }

    void WorkerRejoined(const RejoinRecord& record) override
    {
        rejoins.push_back(record);
    }

    std::vector<StepRecord> steps;         //!< in order of end
    std::vector<CrashRecord> crashes;      //!< in order of time
    std::vector<RejoinRecord> rejoins;     //!< in order of time
    std::vector<TransferRecord> transfers; //!< in order of end
    std::vector<ChunkRecord> chunks;       //!< in order of end
    std::vector<LinkRecord> links;         //!< in order of report
    std::vector<FlowRecord> flows;         //!< in order of report
};

} // namespace dml
} // namespace ns3

#endif /* DML_RUN_RECORDER_H */
