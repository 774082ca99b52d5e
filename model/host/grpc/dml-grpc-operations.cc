/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-operations.h"

#include "ns3/dml-wall-clock-simulator.h"

#include <utility>

namespace ns3::dml
{

GrpcOperations::GrpcOperations(std::unique_ptr<grpc::ServerCompletionQueue> queue)
    : m_queue(std::move(queue)),
      m_simulator(WallClockSimulator::Get()),
      m_open(std::make_shared<bool>(true)),
      m_thread(&GrpcOperations::Poll, this)
{
}

GrpcOperations::~GrpcOperations()
{
    *m_open = false;
    m_queue->Shutdown();
    m_thread.join();
}

grpc::ServerCompletionQueue*
GrpcOperations::GetQueue()
{
    return m_queue.get();
}

void*
GrpcOperations::MakeTag(Done done) const
{
    return new Done(std::move(done));
}

void
GrpcOperations::Poll()
{
    void* tag = nullptr;
    bool good = false;
    while (m_queue->Next(&tag, &good))
    {
        const std::shared_ptr<Done> done(static_cast<Done*>(tag));
        m_simulator.Post([done, good, open = m_open] {
            if (*open)
            {
                (*done)(good);
            }
        });
    }
}

} // namespace ns3::dml
