/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-modelled-queue-disc.h"

#include "ns3/boolean.h"
#include "ns3/dml-error.h"
#include "ns3/dml-withheld-types.h"
#include "ns3/mq-queue-disc.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/uinteger.h"

namespace ns3::dml
{

namespace
{

/// @return whether a class has an attribute, and it is true
bool
IsTrue(const QueueDisc& disc, const std::string& attribute)
{
    BooleanValue value(false);
    return disc.GetAttributeFailSafe(attribute, value) && value.Get();
}

/// @return the value of an attribute; another one where the class does not have it
uint64_t
GetNumber(const QueueDisc& disc, const std::string& attribute, uint64_t other)
{
    UintegerValue value(other);
    return disc.GetAttributeFailSafe(attribute, value) ? value.Get() : other;
}

/// @return whether packets that have waited for longer than CeThreshold may be marked
bool
HasCeThreshold(const QueueDisc& disc)
{
    TimeValue value(Time::Max());
    return disc.GetAttributeFailSafe("CeThreshold", value) && value.Get() < Time::Max();
}

/// @return what a class of ns-3's says of itself: whether packets are marked (ECN)
bool
MarksPackets(const QueueDisc& disc)
{
    return IsTrue(disc, "UseEcn") || (IsTrue(disc, "UseL4s") && HasCeThreshold(disc));
}

/**
 * @brief Refuse what ns-3's queue discs take without a word and do not do, or end the program with.
 * @param own the choice
 * @param disc made of it
 * @throws KeyError with the name of the attribute
 */
void
CheckAttributes(const PluginSpec& own, const QueueDisc& disc)
{
    const auto given = own.attributes.find("MaxSize");
    QueueSizeValue size;
    if (given != own.attributes.end() && disc.GetAttributeFailSafe("MaxSize", size))
    {
        const QueueSize wanted(given->second);
        const QueueSize has = size.Get();
        if (wanted.GetUnit() != has.GetUnit() || wanted.GetValue() != has.GetValue())
        {
            throw KeyError("MaxSize",
                           "found " + given->second + ", which " + own.name +
                               " does not take; accepted: a number of packets, such as 100p");
        }
    }
    // queues of flows are numbered modulo the first, sets of them have the second
    const uint64_t flows = GetNumber(disc, "Flows", 1);
    const uint64_t ways = GetNumber(disc, "SetWays", 1);
    if (flows == 0)
    {
        throw KeyError("Flows", "found 0; accepted: at least 1 queue");
    }
    if (IsTrue(disc, "EnableSetAssociativeHash") && (ways == 0 || flows % ways != 0))
    {
        throw KeyError("SetWays",
                       "found " + std::to_string(ways) +
                           " with EnableSetAssociativeHash; accepted: a divisor of Flows, " +
                           std::to_string(flows));
    }
    if (IsTrue(disc, "UseL4s") && !HasCeThreshold(disc))
    {
        throw KeyError("UseL4s", "found true without CeThreshold; accepted: it with CeThreshold");
    }
    if (HasCeThreshold(disc) && !MarksPackets(disc))
    {
        throw KeyError("CeThreshold",
                       "found beside UseEcn: false, with which " + own.name +
                           " marks no packets; accepted: beside UseEcn: true");
    }
}

} // namespace

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
    // which has a child for each transmit queue of its device, which somebody has to add
    static const TypeId WITHOUT_CHILDREN = WithholdType(MqQueueDisc::GetTypeId());
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
    if (!modelled)
    {
        CheckAttributes(own, *disc);
        queue.ecn = MarksPackets(*disc);
    }
    queue.own = std::make_shared<const PluginSpec>(own);
    queue.isModelled = modelled != nullptr;
    disc->Dispose();
    return queue;
}

} // namespace ns3::dml
