/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CREDIT_POLICY_H
#define DML_CREDIT_POLICY_H

#include "dml-ranked-queue.h"
#include "dml-transfer-policy.h"

#include "ns3/nstime.h"

#include <boost/circular_buffer.hpp>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Priority among what is ready, within a credit of bytes that are on their way.
 *
 * Of the transfers that are ready, the one of the lowest rank is committed as soon as the bytes
 * outstanding and its own are no more than the credit; one transfer may always be outstanding.
 * Committed transfers are sent whole, in the order of their commitment, and nothing overtakes them.
 * A transfer is outstanding from its commitment until the sender has learnt that the receiver has
 * all of it.
 *
 * With a credit of 0 exactly one transfer is outstanding, so that each costs a round trip: P3
 * (Jayarajan et al., MLSys 2019), if the transfers are its slices. With a credit of several slices
 * round trips hide behind the others' transmission, and what is ready later waits for the
 * committed ones: ByteScheduler (Peng et al., SOSP 2019). As described by Zhang et al., "Prophet",
 * ICPP 2021, sections 2.2 and 5.1.
 *
 * The sender handles one transfer at a time: it is busy for Overhead, then the transfer is sent,
 * then it takes the next one. So s bytes at rate B take s / B + Overhead, whatever the credit is.
 * That is Prophet's f(s, B) (equation 10): near 0 for small slices, near B for large ones. It is
 * where the published code pays: one thread takes slices from the queue by priority and makes
 * the push call of each before it takes the next (P3: the thread Sending() of ps-lite's P3Van;
 * ByteScheduler: ByteCore's _loop()); there, it is one thread for all servers, here for each
 * connection.
 */
class CreditPolicy : public TransferPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;
    Turn Next(const WindowView& windows) override;
    bool TurnEnded() override;

    uint32_t GetSize() const override
    {
        return m_ready.GetSize() + m_committed.size();
    }

    void Prepare(const std::vector<TransferInfo>& transfers,
                 uint32_t connection,
                 PolicyClock& clock) override;

    bool WantsAcknowledgements() const override
    {
        return true;
    }

    void Acknowledged(OpIndex transfer) override;

  private:
    void Commit();

    uint64_t m_credit{0};                         //!< attribute, bytes
    Time m_overhead;                              //!< attribute
    PolicyClock* m_clock{nullptr};                //!< simulated time
    RankedQueue m_ready;                          //!< not committed
    boost::circular_buffer<Turn> m_committed{16}; //!< not sent in full; the head is served
    std::vector<uint64_t> m_bytes;                //!< by transfer: its size
    uint64_t m_outstandingBytes{0};               //!< committed and not acknowledged
    uint32_t m_outstanding{0};                    //!< number of transfers that these are
    bool m_handling{false};                       //!< the sender is, or was, busy with the head
    double m_handled{0};                          //!< until when, in seconds
};

} // namespace ns3::dml

#endif /* DML_CREDIT_POLICY_H */
