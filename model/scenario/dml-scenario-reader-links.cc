/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-links.h"

#include "ns3/dml-suggestion.h"

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_QUEUE = 4294967295; // ns3::QueueSize has 32 bits

const std::vector<KeyText>&
QueueParts()
{
    static const Value<uint64_t> SIZE = SizeValue(0, MAX_QUEUE);
    static const std::vector<KeyText> PARTS{
        {"drop_tail", SIZE, "one FIFO of so many bytes; drops what does not fit"},
        {"fair", SIZE, "a FIFO per flow, served in turn; the longest one drops"},
        {"fq_codel", SIZE, "fair queueing with CoDel in each queue (RFC 8290)"},
        {"red", SIZE, "one FIFO with random early drops"},
        {"ecn", SIZE, "one FIFO that marks above a threshold, for ``dctcp``"},
        {"threshold", SizeValue(1, MAX_QUEUE), "``ecn``: marks above so many bytes"},
        {"mark", BoolValue(), "``red``, ``fq_codel``: marks where possible instead of dropping"},
        {"whole_bursts",
         BoolValue(),
         "``drop_tail``: takes or drops the bursts of ``network.tcp.gso`` as a whole, as virtual "
         "switches do (packets; host: always)"},
    };
    return PARTS;
}

QueueSpec
ReadQueue(const YamlField& field)
{
    QueueSpec queue;
    if (!field.IsMap())
    {
        queue.bytes = field.GetSize(0, MAX_QUEUE);
        return queue;
    }
    field.CheckKeys(NamesOf(QueueParts()));
    const std::vector<std::pair<std::string, QueueSpec::Kind>> kinds{
        {"drop_tail", QueueSpec::Kind::DROP_TAIL},
        {"fair", QueueSpec::Kind::FAIR},
        {"fq_codel", QueueSpec::Kind::FQ_CODEL},
        {"red", QueueSpec::Kind::RED},
        {"ecn", QueueSpec::Kind::ECN}};
    uint32_t given = 0;
    for (const auto& [key, kind] : kinds)
    {
        if (const auto size = field.Get(key))
        {
            queue.kind = kind;
            queue.bytes = size.GetSize(0, MAX_QUEUE);
            ++given;
        }
    }
    if (given != 1)
    {
        field.Fail("a size, or a map with one of drop_tail, fair, fq_codel, red, ecn");
    }
    if (const auto threshold = field.Get("threshold"))
    {
        if (queue.kind != QueueSpec::Kind::ECN)
        {
            threshold.FailWith("found beside another queue than ecn; accepted: {ecn: SIZE, "
                               "threshold: SIZE}");
        }
        queue.threshold = threshold.GetSize(1, MAX_QUEUE);
    }
    else if (queue.kind == QueueSpec::Kind::ECN)
    {
        field.FailWith("found an ecn queue without threshold; accepted: {ecn: SIZE, threshold: "
                       "SIZE}, the size above which packets are marked");
    }
    if (const auto mark = field.Get("mark"))
    {
        if (queue.kind != QueueSpec::Kind::RED && queue.kind != QueueSpec::Kind::FQ_CODEL)
        {
            mark.FailWith("found beside another queue than red or fq_codel; accepted: {red: SIZE, "
                          "mark: true}, {fq_codel: SIZE, mark: true}");
        }
        queue.ecn = mark.GetBool();
    }
    if (const auto whole = field.Get("whole_bursts"))
    {
        if (queue.kind != QueueSpec::Kind::DROP_TAIL)
        {
            whole.FailWith("found beside another queue than drop_tail; accepted: {drop_tail: SIZE, "
                           "whole_bursts: true}");
        }
        queue.wholeBursts = whole.GetBool();
    }
    return queue;
}

KeyJson
QueueToJson(const QueueSpec& queue)
{
    switch (queue.kind)
    {
    case QueueSpec::Kind::DROP_TAIL:
        if (queue.wholeBursts)
        {
            return {{"drop_tail", queue.bytes}, {"whole_bursts", true}};
        }
        return queue.bytes;
    case QueueSpec::Kind::FAIR:
        return {{"fair", queue.bytes}};
    case QueueSpec::Kind::FQ_CODEL:
        return {{"fq_codel", queue.bytes}, {"mark", queue.ecn}};
    case QueueSpec::Kind::RED:
        return {{"red", queue.bytes}, {"mark", queue.ecn}};
    case QueueSpec::Kind::ECN:
        return {{"ecn", queue.bytes}, {"threshold", queue.threshold}};
    }
    return nullptr;
}

} // namespace

Value<QueueSpec>
QueueValue()
{
    const auto size = SizeValue(0, MAX_QUEUE);
    return {{"a size, or a map with one of drop_tail, fair, fq_codel, red, ecn",
             AnySchema({size.schema, MapSchema(QueueParts())}),
             QueueParts(),
             size.write},
            ReadQueue,
            QueueToJson};
}

const Keys<LinkSpec>&
LinkKeys()
{
    static const Keys<LinkSpec> KEYS{
        Key{"rate", &LinkSpec::rate, RateValue(), "each direction"},
        Key{"delay", &LinkSpec::delay, TimeValue(Time(0)), "propagation"},
        Key{"queue", &LinkSpec::queue, QueueValue(), "of switch ports on it"},
        Key{"mtu", &LinkSpec::mtu, MtuValue(), "bytes of an IP packet"},
    };
    return KEYS;
}

Value<LinkSpec>
LinkValue()
{
    return MapValue(LinkKeys(), "a map with " + JoinWords(NamesOf(LinkKeys())));
}

Value<uint64_t>
MtuValue()
{
    return IntegerValue(576, 65535);
}

} // namespace ns3::dml
