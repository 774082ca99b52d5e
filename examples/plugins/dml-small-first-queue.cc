/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A queue of one's own for the ports of switches: small packets, ACKs among them, go before all
// others; what does not fit is dropped. It is a QueueDisc of ns-3 that also says what stands for it
// where there are no packets: a FIFO of the same size. doc/extending.rst shows how a scenario
// chooses it.

#include "ns3/dml-modelled-queue-disc.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/uinteger.h"

namespace example
{

using namespace ns3;
using namespace ns3::dml;

class SmallFirstQueue : public ModelledQueueDisc
{
  public:
    static TypeId GetTypeId();

    QueueSpec GetModel() const override
    {
        QueueSpec fifo;
        fifo.kind = QueueSpec::Kind::DROP_TAIL;
        fifo.bytes = m_limit;
        return fifo;
    }

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override
    {
        if (GetNBytes() + item->GetSize() > m_limit)
        {
            DropBeforeEnqueue(item, "no room");
            return false;
        }
        return GetInternalQueue(item->GetSize() <= m_small ? 0 : 1)->Enqueue(item);
    }

    Ptr<QueueDiscItem> DoDequeue() override
    {
        const auto small = GetInternalQueue(0)->Dequeue();
        return small ? small : GetInternalQueue(1)->Dequeue();
    }

    bool CheckConfig() override
    {
        for (uint32_t queue = GetNInternalQueues(); queue < 2; ++queue)
        {
            AddInternalQueue(CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>(
                "MaxSize",
                QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, UINT32_MAX))));
        }
        return true;
    }

    void InitializeParams() override
    {
    }

    uint32_t m_limit{1000000}; //!< attribute, bytes
    uint32_t m_small{200};     //!< attribute, bytes
};

NS_OBJECT_ENSURE_REGISTERED(SmallFirstQueue);

TypeId
SmallFirstQueue::GetTypeId()
{
    static TypeId tid = TypeId("example::SmallFirstQueue")
                            .SetParent<ModelledQueueDisc>()
                            .AddConstructor<SmallFirstQueue>()
                            .AddAttribute("Limit",
                                          "Bytes that the queue holds.",
                                          UintegerValue(1000000),
                                          MakeUintegerAccessor(&SmallFirstQueue::m_limit),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Small",
                                          "Bytes of the largest packet that goes first.",
                                          UintegerValue(200),
                                          MakeUintegerAccessor(&SmallFirstQueue::m_small),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

} // namespace example
