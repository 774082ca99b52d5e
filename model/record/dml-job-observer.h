/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_OBSERVER_H
#define DML_JOB_OBSERVER_H

#include "dml-run-observer.h"

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-execution
 * @brief Passes on the records of one of several jobs: a job numbers its workers and servers from
 * 0, the records of a run number those of all jobs.
 */
class JobObserver : public RunObserver
{
  public:
    /**
     * @param firstWorker added to the numbers of workers
     * @param firstServer number of the job's first server
     * @param next told of everything; may be null if only Get() is used
     */
    JobObserver(uint32_t firstWorker, uint32_t firstServer, RunObserver* next)
        : m_firstWorker(firstWorker),
          m_firstServer(firstServer),
          m_next(next)
    {
    }

    /// @return who is to be told of what the job does: this, or the next one where that is enough
    RunObserver* Get()
    {
        return m_next && (m_firstWorker > 0 || m_firstServer > 0) ? this : m_next;
    }

    void StepEnded(const StepRecord& record) override
    {
        StepRecord renumbered = record;
        renumbered.worker += m_firstWorker;
        m_next->StepEnded(renumbered);
    }

    void WorkerCrashed(const CrashRecord& record) override
    {
        CrashRecord renumbered = record;
        renumbered.worker += m_firstWorker;
        m_next->WorkerCrashed(renumbered);
    }

    void WorkerRejoined(const RejoinRecord& record) override
    {
        RejoinRecord renumbered = record;
        renumbered.worker += m_firstWorker;
        m_next->WorkerRejoined(renumbered);
    }

    void TransferEnded(const TransferRecord& record) override
    {
        m_next->TransferEnded(Renumber(record));
    }

    void TransferSent(const TransferRecord& record) override
    {
        m_next->TransferSent(Renumber(record));
    }

    void ChunkEnded(const ChunkRecord& record) override
    {
        ChunkRecord renumbered = record;
        renumbered.worker += m_firstWorker;
        const bool parser = record.resource == ResourceKind::PARSER;
        if (parser ? record.index > 0 : record.resource != ResourceKind::DEVICE)
        {
            renumbered.index += m_firstServer;
        }
        m_next->ChunkEnded(renumbered);
    }

    void LinkUsed(const LinkRecord& record) override
    {
        LinkRecord renumbered = record;
        renumbered.server += m_firstServer;
        m_next->LinkUsed(renumbered);
    }

    void FlowUsed(const FlowRecord& record) override
    {
        m_next->FlowUsed(Renumber(record));
    }

  private:
    /// A record of one worker and one server.
    template <typename Record>
    Record Renumber(Record record) const
    {
        record.worker += m_firstWorker;
        record.server += m_firstServer;
        return record;
    }

    uint32_t m_firstWorker; //!< added to the numbers of workers
    uint32_t m_firstServer; //!< number of the job's first server
    RunObserver* m_next;    //!< may be null
};

} // namespace dml
} // namespace ns3

#endif /* DML_JOB_OBSERVER_H */
