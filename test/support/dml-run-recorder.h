/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_RECORDER_H
#define DML_RUN_RECORDER_H

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dml
{

/// Keeps all records of a run: those of the first job here, those of the others in others.
class RunRecorder : public RunListener<RunRecorder>
{
  public:
    void Observe(const RunRecord& record) override
    {
        RunListener& recorder = record.job == 0 ? *this : others[record.job];
        recorder.RunListener::Observe(record);
    }

    /// Records of a job, which must have some.
    const RunRecorder& GetJob(uint32_t job) const
    {
        return job == 0 ? *this : others.at(job);
    }

    void On(const StepRecord& record)
    {
        steps.push_back(record);
    }

    void On(const TransferRecord& record)
    {
        transfers.push_back(record);
    }

    void On(const ChunkRecord& record)
    {
        chunks.push_back(record);
    }

    void On(const LinkRecord& record)
    {
        links.push_back(record);
    }

    void On(const FlowRecord& record)
    {
        flows.push_back(record);
    }

    void On(const ConnectionRecord& record)
    {
        connections.push_back(record);
    }

    void On(const CrashRecord& record)
    {
        crashes.push_back(record);
    }

    void On(const RejoinRecord& record)
    {
        rejoins.push_back(record);
    }

    std::vector<StepRecord> steps;             //!< in order of end
    std::vector<CrashRecord> crashes;          //!< in order of time
    std::vector<RejoinRecord> rejoins;         //!< in order of time
    std::vector<TransferRecord> transfers;     //!< in order of end
    std::vector<ChunkRecord> chunks;           //!< in order of end
    std::vector<LinkRecord> links;             //!< in order of report
    std::vector<FlowRecord> flows;             //!< in order of report
    std::vector<ConnectionRecord> connections; //!< in order of report
    std::map<uint32_t, RunRecorder> others;    //!< by job, from 1
};

} // namespace ns3::dml

#endif /* DML_RUN_RECORDER_H */
