/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_PEER_H
#define DML_STEP_PEER_H

#include "dml-step-application.h"

#include "ns3/dml-transport.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-apps
 * @brief One peer of a StepApplication: brings together its transport and the executor that works
 * with it.
 */
class StepApplication::Peer : private TransportListener
{
  public:
    /**
     * @param application whose peer it is
     * @param index of the peer
     */
    Peer(StepApplication& application, uint32_t index);
    ~Peer() override;

    /// @return the conversation with it
    Transport& GetTransport() const
    {
        return *m_transport;
    }

  private:
    OpIndex FindTransfer(const std::string& name, int64_t step) override;
    void TransferRequested(OpIndex transfer) override;
    OpIndex TurnServed() override;
    void TransferAcknowledged(OpIndex transfer) override;
    void WindowOpened() override;
    void TransferArrived(OpIndex transfer) override;
    void GraphRequested(int32_t call, const RunGraphRequest& request) override;
    void GraphDone(uint32_t step, const std::string& graph, const NamedValues& values) override;
    void Failed(const std::string& text) override;

    StepApplication& m_application; //!< application with the peer
    uint32_t m_index;               //!< index of the peer
    Ptr<Transport> m_transport;     //!< the conversation with it
};

} // namespace ns3::dml

#endif /* DML_STEP_PEER_H */
