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

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-policy
 * @brief Priority among what is ready, within a credit of bytes that are on their way.
 *
 * Of the transfers that are ready, the one of the lowest rank is committed as soon as the bytes
 * outstanding and its own are no more than the credit; one transfer may always be outstanding.
 * Committed transfers are sent whole, in the order of their commitment, and nothing overtakes them.
 * A transfer is outstanding from its commitment until the sender has learnt that the receiver has
 * all of it, and for Overhead longer.
 *
 * With a credit of 0 exactly one transfer is outstanding, so that each costs a round trip and the
 * overhead: P3 (Jayarajan et al., MLSys 2019), if the transfers are its slices. With a credit of
 * several slices these costs hide behind the others' transmission, and what is ready later waits
 * for the committed ones: ByteScheduler (Peng et al., SOSP 2019). As described by Zhang et al.,
 * "Prophet", ICPP 2021, sections 2.2 and 5.1.
 */
class CreditPolicy : public TransferPolicy
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;
    Turn Next(const WindowView& windows) override;
    bool TurnEnded() override;
    uint32_t GetSize() const override;
    void Prepare(const std::vector<TransferInfo>& transfers,
                 uint32_t connection,
                 PolicyClock& clock) override;
    bool WantsAcknowledgements() const override;
    void Acknowledged(OpIndex transfer) override;

  private:
    /// Credit on its way back.
    struct Return
    {
        double time;    //!< when it is here, in seconds
        uint64_t bytes; //!< how much
    };

    void TakeReturns();
    void Commit();

    uint64_t m_credit{0};                         //!< attribute, bytes
    Time m_overhead;                              //!< attribute
    PolicyClock* m_clock{nullptr};                //!< simulated time
    RankedQueue m_ready;                          //!< not committed
    boost::circular_buffer<Turn> m_committed{16}; //!< not sent in full; the head is served
    boost::circular_buffer<Return> m_returns{16}; //!< acknowledged, the overhead still to pass
    std::vector<uint64_t> m_bytes;                //!< by transfer: its size
    uint64_t m_outstandingBytes{0};               //!< committed and not returned
    uint32_t m_outstanding{0};                    //!< number of transfers that these are
};

} // namespace dml
} // namespace ns3

#endif /* DML_CREDIT_POLICY_H */
