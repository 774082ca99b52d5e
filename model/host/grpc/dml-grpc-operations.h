/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_OPERATIONS_H
#define DML_GRPC_OPERATIONS_H

#include <functional>
#include <grpcpp/completion_queue.h>
#include <memory>
#include <thread>

namespace ns3::dml
{

class WallClockSimulator;

/**
 * @ingroup dml-host
 * @brief What gRPC does in its own threads, told to the thread of the simulator.
 */
class GrpcOperations
{
  public:
    /// @param queue where gRPC puts operations that are done
    explicit GrpcOperations(std::unique_ptr<grpc::ServerCompletionQueue> queue);
    /// Waits for all that are under way, and tells of none any more: cancel them before.
    ~GrpcOperations();
    GrpcOperations(const GrpcOperations&) = delete;
    GrpcOperations& operator=(const GrpcOperations&) = delete;

    /// @return the queue
    grpc::ServerCompletionQueue* GetQueue();

    /// Called when an operation is done, with whether it did what it should.
    using Done = std::function<void(bool)>;

    /// @param done called in the simulator's thread; what it holds lives as long as the operation
    /// @return tag of one operation
    void* MakeTag(Done done) const;

  private:
    void Poll();

    std::unique_ptr<grpc::ServerCompletionQueue> m_queue; //!< of gRPC
    WallClockSimulator& m_simulator;                      //!< of this process
    std::shared_ptr<bool> m_open;                         //!< whether anyone wants to know
    std::thread m_thread;                                 //!< waits for the queue
};

} // namespace ns3::dml

#endif /* DML_GRPC_OPERATIONS_H */
