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
 * @brief Passes on the records of one of several jobs: executors number the servers of their job
 * from 0, records number those of all jobs.
 */
class JobObserver : public RunObserver
{
  public:
    /**
     * @param firstServer number of the job's first server
     * @param next told of everything; may be null
     */
    JobObserver(uint32_t firstServer, RunObserver* next)
        : m_firstServer(firstServer),
          m_next(next)
    {
    }

    /// @return who is to be told of what the job does: this, or the next one where that is enough
    RunObserver* Get()
    {
        return m_next && m_firstServer > 0 ? this : m_next;
    }

    void StepEnded(const StepRecord& record) override
    {
        m_next->StepEnded(record);
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
        const bool parser = record.resource == ResourceKind::PARSER;
        if (parser ? record.index > 0 : record.resource != ResourceKind::DEVICE)
        {
            renumbered.index += m_firstServer;
        }
        m_next->ChunkEnded(renumbered);
    }

    void LinkUsed(const LinkRecord& record) override
    {
        m_next->LinkUsed(record);
    }

  private:
    TransferRecord Renumber(TransferRecord record) const
    {
        record.server += m_firstServer;
        return record;
    }

    uint32_t m_firstServer; //!< number of the job's first server
    RunObserver* m_next;    //!< may be null
};

} // namespace dml
} // namespace ns3

#endif /* DML_JOB_OBSERVER_H */
