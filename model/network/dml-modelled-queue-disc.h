/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MODELLED_QUEUE_DISC_H
#define DML_MODELLED_QUEUE_DISC_H

#include "dml-network-spec.h"

#include "ns3/dml-plugin-kind.h"
#include "ns3/queue-disc.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief A queue disc of ns-3 for `network.queue: {type: TYPEID}` that says what stands for it in
 * engines without packets.
 *
 * The packet engine installs an object of the class at every port that has it, above a device queue
 * of one packet. Any other QueueDisc of ns-3 can be chosen as well, for the packet engine alone.
 */
class ModelledQueueDisc : public QueueDisc
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    /// @param policy what limits its size, as QueueDisc has it; by default DoEnqueue() alone
    explicit ModelledQueueDisc(QueueDiscSizePolicy policy = QueueDiscSizePolicy::NO_LIMITS);

    /**
     * @return the queue of dml's own that is most like it: its `kind`, `bytes` (what it holds) and
     * what else that kind has; not SHARED. Fair-share and bursts take that in its place, and so do
     * checks of sizes. Attributes are set when this is called
     */
    virtual QueueSpec GetModel() const = 0;

    /// @param stream first one of ns-3's random streams to use @return how many are used; by
    /// default none
    virtual int64_t AssignStreams(int64_t stream);
};

/// @return the queue discs that `network.queue` may choose: TypeIds alone, the kinds of dml's own
/// have keys; without MqQueueDisc, to which scenarios cannot give the children that it needs
const PluginKind& QueueDiscs();

/**
 * @param own TypeId and attributes, which can be made
 * @return a port's queue with them, and with what stands for it; one of ns-3's marks packets if its
 * UseEcn is true, or its UseL4s
 * @throws InputError if the class says that something impossible stands for it
 * @throws KeyError with the name of an attribute whose value the class cannot work with
 */
QueueSpec MakeOwnQueue(const PluginSpec& own);

} // namespace ns3::dml

#endif /* DML_MODELLED_QUEUE_DISC_H */
