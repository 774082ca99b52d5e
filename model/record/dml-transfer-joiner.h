/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_JOINER_H
#define DML_TRANSFER_JOINER_H

#include "dml-run-observer.h"

#include <boost/functional/hash.hpp>
#include <tuple>
#include <unordered_map>

namespace ns3::dml
{

/**
 * @ingroup dml-record
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

    void Observe(const RunRecord& record) override
    {
        if (const auto* sent = std::get_if<SentRecord>(&record.event))
        {
            m_sent[GetKey(record.job, sent->transfer)] = sent->transfer;
            return;
        }
        const auto* arrived = std::get_if<TransferRecord>(&record.event);
        // the last byte leaves before it arrives, so the sender's half is here
        const auto sent = arrived ? m_sent.find(GetKey(record.job, *arrived)) : m_sent.end();
        if (sent == m_sent.end()) // a crashed worker's last transfer may arrive late
        {
            m_next.Observe(record);
            return;
        }
        TransferRecord joined = *arrived;
        joined.ready = sent->second.ready;
        joined.firstByte = sent->second.firstByte;
        m_sent.erase(sent);
        m_next.Observe({record.job, joined});
    }

  private:
    /// Job, both ends, op and part: these have one such transfer under way.
    using Key = std::tuple<uint32_t, uint64_t, uint64_t, uint32_t, uint32_t>;

    static Key GetKey(uint32_t job, const TransferRecord& record)
    {
        const auto number = [](const Endpoint& end) {
            return static_cast<uint64_t>(end.role) << 32 | end.index;
        };
        const auto& [from, to] = record.channel;
        return {job, number(from), number(to), record.op, record.part};
    }

    RunObserver& m_next;                                              //!< receives the records
    std::unordered_map<Key, TransferRecord, boost::hash<Key>> m_sent; //!< sender's halves
};

} // namespace ns3::dml

#endif /* DML_TRANSFER_JOINER_H */
