/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-modelled-queue-disc.h"

#include "ns3/dml-error.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(ModelledQueueDisc);

TypeId
ModelledQueueDisc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::ModelledQueueDisc").SetParent<QueueDisc>().SetGroupName("Dml");
    return tid;
}

ModelledQueueDisc::ModelledQueueDisc(QueueDiscSizePolicy policy)
    : QueueDisc(policy)
{
}

int64_t
ModelledQueueDisc::AssignStreams(int64_t /* stream */)
{
    return 0;
}

const PluginKind&
QueueDiscs()
{
    static const PluginKind KIND("queue disc", &QueueDisc::GetTypeId, {});
    return KIND;
}

QueueSpec
MakeOwnQueue(const PluginSpec& own)
{
    const auto disc = QueueDiscs().Create<QueueDisc>(own);
    const auto modelled = DynamicCast<ModelledQueueDisc>(disc);
    // of one that says nothing, packets alone are known: checks of sizes leave it alone
    QueueSpec queue =
        modelled ? modelled->GetModel() : QueueSpec{QueueSpec::Kind::FAIR, 0, 0, false};
    if (queue.kind == QueueSpec::Kind::SHARED || queue.own || queue.wholeBursts)
    {
        throw InputError(own.name +
                         "::GetModel() gives a shared buffer, a class of its own or whole bursts; "
                         "accepted: another kind of dml's own queues");
    }
    queue.own = std::make_shared<const PluginSpec>(own);
    queue.isModelled = modelled != nullptr;
    disc->Dispose();
    return queue;
}

} // namespace ns3::dml
