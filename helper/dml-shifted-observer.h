/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHIFTED_OBSERVER_H
#define DML_SHIFTED_OBSERVER_H

#include "ns3/dml-run-observer.h"

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief Renumbers the workers and servers in records, by adding a constant to each.
 *
 * Where several jobs share a network, the applications of a job count from zero; the records of a
 * run count over all jobs.
 */
class ShiftedObserver : public RunObserver
{
  public:
    /// @param workers added to worker numbers @param servers added to server numbers
    /// @param next receives the records; must outlive this
    ShiftedObserver(uint32_t workers, uint32_t servers, RunObserver& next)
        : m_workers(workers),
          m_servers(servers),
          m_next(next)
    {
    }

    void StepEnded(const StepRecord& record) override
    {
        StepRecord shifted = record;
        shifted.worker += m_workers;
        m_next.StepEnded(shifted);
    }

    void TransferEnded(const TransferRecord& record) override
    {
        m_next.TransferEnded(Shift(record));
    }

    void TransferSent(const TransferRecord& record) override
    {
        m_next.TransferSent(Shift(record));
    }

    void ChunkEnded(const ChunkRecord& record) override
    {
        ChunkRecord shifted = record;
        shifted.worker += m_workers;
        if (record.resource != ResourceKind::DEVICE && record.resource != ResourceKind::PARSER)
        {
            shifted.index += m_servers;
        }
        m_next.ChunkEnded(shifted);
    }

    void LinkUsed(const LinkRecord& record) override
    {
        LinkRecord shifted = record;
        shifted.server += m_servers;
        m_next.LinkUsed(shifted);
    }

  private:
    TransferRecord Shift(const TransferRecord& record) const
    {
        TransferRecord shifted = record;
        shifted.worker += m_workers;
        shifted.server += m_servers;
        return shifted;
    }

    uint32_t m_workers;  //!< added to worker numbers
    uint32_t m_servers;  //!< added to server numbers
    RunObserver& m_next; //!< receives the records
};

} // namespace dml
} // namespace ns3

#endif /* DML_SHIFTED_OBSERVER_H */
