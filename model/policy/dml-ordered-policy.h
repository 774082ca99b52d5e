/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ORDERED_POLICY_H
#define DML_ORDERED_POLICY_H

#include "dml-transfer-policy.h"

#include "ns3/object-factory.h"
#include "ns3/rng-stream.h"

#include <memory>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief A fixed order, enforced at the sender: a transfer is held back until its turn has come.
 *
 * The transfers of the connection that have a rank are numbered 0 to n-1 in the order of their
 * ranks, equal ranks in listing order. A counter says how many of the step have been handed on to
 * the inner policy; a transfer that is ready is held until the counter has come to its number. When
 * all n have been handed on, the counter starts from 0: the next step. Transfers without a rank go
 * to the inner policy at once.
 *
 * The inner policy decides what the order is worth: FifoPolicy keeps it to the last byte,
 * Http2WindowPolicy lets later transfers in when a window is used up.
 *
 * An order that contradicts the dependencies (the first transfer waits for the last) stalls the
 * run, which then ends with the list of what is blocked.
 *
 * Source: Hashemi et al., "TicTac", MLSys 2019, section 5.1.
 */
class OrderedPolicy : public TransferPolicy
{
  public:
    /// First ns-3 RNG stream of attribute Shuffle; connection c uses STREAM_BASE + c, or the
    /// attribute Stream + c.
    static constexpr uint64_t STREAM_BASE = 4000000;

    /// @return the object TypeId
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;

    Turn Next(const WindowView& windows) override
    {
        return m_inner->Next(windows);
    }

    bool TurnEnded() override
    {
        return m_inner->TurnEnded();
    }

    /// @return whether transfers come in a fresh random order in each step (attribute Shuffle)
    bool IsRandom() const
    {
        return m_shuffle;
    }

    uint32_t GetSize() const override
    {
        return m_holding + m_inner->GetSize();
    }

    void Prepare(const std::vector<TransferInfo>& transfers,
                 uint32_t connection,
                 PolicyClock& clock) override;

    bool WantsAcknowledgements() const override
    {
        return m_inner->WantsAcknowledgements();
    }

    void Acknowledged(OpIndex transfer) override
    {
        m_inner->Acknowledged(transfer);
    }

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// A transfer, which may be ready before its turn.
    struct Held
    {
        bool ranked{false}; //!< whether it is in m_order
        bool ready{false};  //!< whether it is held
        uint64_t bytes{0};  //!< its size if it is
    };

    void HandOn();
    void ShuffleOrder();

    ObjectFactory m_innerFactory;        //!< attribute
    bool m_shuffle{false};               //!< attribute
    uint32_t m_seed{1};                  //!< attribute
    uint32_t m_replication{0};           //!< attribute
    uint64_t m_stream{STREAM_BASE};      //!< attribute
    Ptr<TransferPolicy> m_inner;         //!< serves what has been handed on
    std::unique_ptr<RngStream> m_random; //!< for m_shuffle
    std::vector<OpIndex> m_order;        //!< the transfers with a rank, first one first
    std::vector<Held> m_held;            //!< by transfer
    uint32_t m_holding{0};               //!< number of transfers held
    uint32_t m_counter{0};               //!< transfers of m_order handed on in this step
};

} // namespace ns3::dml

#endif /* DML_ORDERED_POLICY_H */
