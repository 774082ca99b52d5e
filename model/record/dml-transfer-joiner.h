/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_JOINER_H
#define DML_TRANSFER_JOINER_H

#include "dml-run-observer.h"

#include <unordered_map>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief Joins what sender and receiver know of a transfer into one record.
 *
 * Only for measuring: no node sees it. All other records pass through.
 */
class TransferJoiner : public RunObserver
{
  public:
    /// @param next receives the records; must outlive the joiner
    explicit TransferJoiner(RunObserver& next)
        : m_next(next)
    {
    }

    void StepEnded(const StepRecord& record) override
    {
        m_next.StepEnded(record);
    }

    void WorkerCrashed(const CrashRecord& record) override
    {
        m_next.WorkerCrashed(record);
    }

    void WorkerRejoined(const RejoinRecord& record) override
    {
        m_next.WorkerRejoined(record);
    }

    void ChunkEnded(const ChunkRecord& record) override
    {
        m_next.ChunkEnded(record);
    }

    void LinkUsed(const LinkRecord& record) override
    {
        m_next.LinkUsed(record);
    }

    void FlowUsed(const FlowRecord& record) override
    {
        m_next.FlowUsed(record);
    }

    void TransferSent(const TransferRecord& record) override
    {
        m_sent[GetKey(record)] = record;
    }

    void TransferEnded(const TransferRecord& record) override
    {
        // the last byte leaves before it arrives, so the sender's half is here
        const auto sent = m_sent.find(GetKey(record));
        TransferRecord joined = record;
        if (sent != m_sent.end()) // not where a crashed worker's last transfer arrives late
        {
            joined.ready = sent->second.ready;
            joined.firstByte = sent->second.firstByte;
            m_sent.erase(sent);
        }
        m_next.TransferEnded(joined);
    }

  private:
    /// A worker has one transfer per op under way.
    static uint64_t GetKey(const TransferRecord& record)
    {
        return static_cast<uint64_t>(record.worker) << 32 | record.op;
    }

    RunObserver& m_next;                                 //!< receives the records
    std::unordered_map<uint64_t, TransferRecord> m_sent; //!< sender's halves
};

} // namespace dml
} // namespace ns3

#endif /* DML_TRANSFER_JOINER_H */
