/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PORT_QUEUE_H
#define DML_PORT_QUEUE_H

#include "ns3/dml-shared-buffer.h"
#include "ns3/drop-tail-queue.h"

#include <cstdint>
#include <memory>

namespace ns3::dml
{

/// Memory of a switch that several PortQueues share.
struct SwitchMemory
{
    double size{0};   //!< bytes, above 0
    uint64_t used{0}; //!< bytes of all ports
};

/**
 * @ingroup dml-packet
 * @brief A FIFO of a port, which has a memory of its own, of MaxSize, or shares that of its switch
 * with dynamic thresholds (SharedBuffer).
 *
 * What has been sent to the link leaves the memory, as with queues of a fixed size.
 *
 * @tparam Item Packet, of a device, or QueueDiscItem, of a queue disc
 */
template <typename Item>
class PortQueue : public DropTailQueue<Item>
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief Share a memory. MaxSize is that of the memory.
     * @param memory of the switch
     * @param alpha the port holds at most so many times the free bytes, above 0
     */
    void Share(std::shared_ptr<SwitchMemory> memory, double alpha);

    bool Enqueue(Ptr<Item> item) override;
    Ptr<Item> Dequeue() override;
    Ptr<Item> Remove() override;

    /// @return bytes that the port may hold, as others are now; without a shared memory MaxSize
    uint64_t GetLimit() const;

  protected:
    /// @return bytes that the port has besides those in the queue
    virtual uint64_t GetReserved() const
    {
        return 0;
    }

    /// @return bytes that the port has
    uint64_t GetContent() const
    {
        return this->GetNBytes() + GetReserved();
    }

    /// Tell the memory what the port has; after each change of GetContent().
    void Count();

  private:
    std::shared_ptr<SwitchMemory> m_memory; //!< null: of its own
    double m_alpha{1};                      //!< see Share()
    uint64_t m_counted{0};                  //!< GetContent() when Count() was called last
};

} // namespace ns3::dml

#endif /* DML_PORT_QUEUE_H */
