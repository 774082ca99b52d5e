/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key.h"
#include "dml-plugin-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-error.h"
#include "ns3/dml-modelled-queue-disc.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_QUEUE = 4294967295;          // ns3::QueueSize has 32 bits
constexpr uint64_t MAX_PACKETS = MAX_QUEUE / 65535; // of the largest MTU
constexpr double MAX_THRESHOLD_FACTOR = 1024;

const Value<double> ALPHA =
    PositiveValue(MAX_THRESHOLD_FACTOR, "multiples of the free bytes", "a number above 0, to 1024");

/// A threshold: a size, or packets of the link's MTU.
struct Threshold
{
    uint64_t bytes{0};   //!< 0: packets count
    uint64_t packets{0}; //!< 0: bytes count
};

/// @throws InputError if it is neither a size nor a number of packets
Threshold
ReadThreshold(const YamlField& field)
{
    Threshold threshold;
    const std::string form = "packets of the link's MTU, such as 65 packets";
    if (const auto packets = field.IsScalar() ? ParsePackets(field.GetText(form)) : std::nullopt)
    {
        if (*packets < 1 || *packets > MAX_PACKETS)
        {
            field.Fail(fmt::format("1 packet to {} packets", MAX_PACKETS));
        }
        threshold.packets = *packets;
        return threshold;
    }
    threshold.bytes = field.GetSize(1, MAX_QUEUE, form);
    return threshold;
}

KeyShape
ThresholdShape()
{
    const auto size = SizeValue(1, MAX_QUEUE);
    return {size.accepted + ", or packets such as ``65 packets``",
            AnySchema({size.schema, {{"type", "string"}, {"pattern", PacketsPattern()}}})};
}

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
        {"shared",
         SizeValue(1, MAX_QUEUE),
         "one FIFO in the memory of its switch, of so many bytes, which all such ports share"},
        {"alpha",
         ALPHA,
         "``shared``: the port holds at most so many times the bytes that are free; 1 by default"},
        {"threshold",
         ThresholdShape(),
         "``ecn``, ``shared``: marks each packet that finds so much in the queue, or so many "
         "packets of the "
         "link's MTU"},
        {"mark", BoolValue(), "``red``, ``fq_codel``: marks where possible instead of dropping"},
        {"whole_bursts",
         BoolValue(),
         "``drop_tail``, ``shared``: takes or drops the bursts of ``network.tcp.gso`` as a whole, "
         "as virtual switches do (packets; host: always)"},
    };
    return PARTS;
}

const std::vector<std::pair<std::string, QueueSpec::Kind>> QUEUE_KINDS{
    {"drop_tail", QueueSpec::Kind::DROP_TAIL},
    {"fair", QueueSpec::Kind::FAIR},
    {"fq_codel", QueueSpec::Kind::FQ_CODEL},
    {"red", QueueSpec::Kind::RED},
    {"ecn", QueueSpec::Kind::ECN},
    {"shared", QueueSpec::Kind::SHARED}};

/// Of a map.
const std::string HOST_QUEUE_NAMES = "drop_tail, fair, fq_codel, red, ecn";
const std::string QUEUE_NAMES = HOST_QUEUE_NAMES + ", shared";

/// @return whether a queue can mark packets, or drop them
bool
MayMark(const QueueSpec& queue)
{
    return queue.kind == QueueSpec::Kind::RED || queue.kind == QueueSpec::Kind::FQ_CODEL;
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
    if (ChoosesPlugin(field))
    {
        const PluginSpec own = ReadPlugin(field, QueueDiscs());
        try
        {
            return MakeOwnQueue(own);
        }
        catch (const KeyError& error)
        {
            const auto attribute = field.Get(error.GetKey()); // a default may not fit the others
            (attribute ? attribute : field).FailWith(error.GetReason());
        }
        catch (const InputError& error)
        {
            field.FailWith(error.what());
        }
    }
    auto names = NamesOf(QueueParts());
    names.emplace_back("type");
    field.CheckKeys(names);
    uint32_t given = 0;
    for (const auto& [key, kind] : QUEUE_KINDS)
    {
        if (const auto size = field.Get(key))
        {
            queue.kind = kind;
            queue.bytes = size.GetSize(kind == QueueSpec::Kind::SHARED ? 1 : 0, MAX_QUEUE);
            ++given;
        }
    }
    if (given != 1)
    {
        field.Fail("a size, or a map with one of " + QUEUE_NAMES + ", type");
    }
    // a key that only some kinds have
    const auto get = [&field](const char* key, bool has, const char* kinds, const char* forms) {
        const auto value = field.Get(key);
        if (value && !has)
        {
            value.FailWith(std::string("found beside another queue than ") + kinds +
                           "; accepted: " + forms);
        }
        return value;
    };
    const bool ecn = queue.kind == QueueSpec::Kind::ECN;
    const bool shared = queue.kind == QueueSpec::Kind::SHARED;
    if (const auto alpha = get("alpha", shared, "shared", "{shared: SIZE, alpha: NUMBER}"))
    {
        queue.alpha = ALPHA.read(alpha);
    }
    if (const auto given = get("threshold",
                               ecn || shared,
                               "ecn or shared",
                               "{ecn: SIZE, threshold: SIZE}, {shared: SIZE, threshold: SIZE}"))
    {
        const Threshold threshold = ReadThreshold(given);
        queue.threshold = threshold.bytes;
        queue.thresholdPackets = threshold.packets;
    }
    else if (ecn)
    {
        field.FailWith("found an ecn queue without threshold; accepted: {ecn: SIZE, threshold: "
                       "SIZE}, the size above which packets are marked");
    }
    if (const auto mark = get("mark",
                              MayMark(queue),
                              "red or fq_codel",
                              "{red: SIZE, mark: true}, {fq_codel: SIZE, mark: true}"))
    {
        queue.ecn = mark.GetBool();
    }
    if (const auto whole = get("whole_bursts",
                               shared || queue.kind == QueueSpec::Kind::DROP_TAIL,
                               "drop_tail or shared",
                               "{drop_tail: SIZE, whole_bursts: true}, {shared: SIZE, "
                               "whole_bursts: true}"))
    {
        queue.wholeBursts = whole.GetBool();
        if (queue.wholeBursts && queue.Marks())
        {
            whole.FailWith("found true beside threshold, above which single packets are marked; "
                           "accepted: one of the two");
        }
    }
    return queue;
}

KeyJson
QueueToJson(const QueueSpec& queue)
{
    if (queue.own)
    {
        return EchoPlugin(QueueDiscs(), *queue.own);
    }
    if (queue.kind == QueueSpec::Kind::DROP_TAIL && !queue.wholeBursts)
    {
        return queue.bytes;
    }
    const auto kind = std::find_if(QUEUE_KINDS.begin(), QUEUE_KINDS.end(), [&](const auto& known) {
        return known.second == queue.kind;
    });
    KeyJson json{{kind->first, queue.bytes}};
    if (MayMark(queue))
    {
        json["mark"] = queue.ecn;
    }
    if (queue.kind == QueueSpec::Kind::SHARED)
    {
        json["alpha"] = queue.alpha;
    }
    if (queue.threshold > 0 || queue.thresholdPackets > 0)
    {
        json["threshold"] = queue.thresholdPackets > 0 ? KeyJson(queue.GetThresholdText())
                                                       : KeyJson(queue.threshold);
    }
    if (queue.wholeBursts)
    {
        json["whole_bursts"] = true;
    }
    return json;
}

const std::string FLOW_FORMS = "{from: HOST, to: HOST} with rate: RATE (constant), with rate, on "
                               "and off (on/off), or with bytes: SIZE or bulk: true (TCP)";

bool
IsOnOff(const BackgroundSpec& flow)
{
    return flow.kind == BackgroundSpec::Kind::ON_OFF;
}

bool
IsBulk(const BackgroundSpec& flow)
{
    return flow.kind == BackgroundSpec::Kind::BULK;
}

/// What kind of flow it is.
void
ReadKind(const YamlField& flow, BackgroundSpec& spec)
{
    const auto bulk = flow.Get("bulk");
    const bool isBulk = (bulk && bulk.GetBool()) || flow.Get("bytes");
    if (bulk && !bulk.GetBool() && isBulk)
    {
        bulk.FailWith("found false beside bytes, which only bulk has; accepted: true, or no bulk");
    }
    if (isBulk == bool(flow.Get("rate")))
    {
        flow.FailWith("found " + std::string(isBulk ? "both rate and bulk or bytes" : "no rate") +
                      "; accepted: " + FLOW_FORMS);
    }
    const auto on = flow.Get("on");
    const auto off = flow.Get("off");
    if (bool(on) != bool(off) || (on && isBulk))
    {
        (on ? on : off)
            .FailWith("found alone, or with bulk; accepted: on and off together, with rate");
    }
    const auto exponential = flow.Get("exponential");
    if (exponential && !on)
    {
        exponential.FailWith("found without on and off; accepted: beside on and off");
    }
    spec.kind = isBulk ? BackgroundSpec::Kind::BULK
                : on   ? BackgroundSpec::Kind::ON_OFF
                       : BackgroundSpec::Kind::CONSTANT;
}

const Keys<BackgroundSpec>&
BackgroundKeys()
{
    static const auto NAME = NameValue("the name of a host");
    static const auto PERIOD = TimeValue(MicroSeconds(1));
    static const Keys<BackgroundSpec> KEYS{
        Key{"from", &BackgroundSpec::from, NAME, "the host that sends"},
        Key{"to", &BackgroundSpec::to, NAME, "the host that receives"},
        Key{"rate", &BackgroundSpec::rate, RateValue(), "UDP, of its payload"}
            .EchoIf([](const BackgroundSpec& flow) { return !IsBulk(flow); })
            .Default(""),
        Key{"on", &BackgroundSpec::on, PERIOD, "UDP: mean length of a period in which it sends"}
            .EchoIf(IsOnOff)
            .Default(""),
        Key{"off", &BackgroundSpec::off, PERIOD, "UDP: mean length of a pause"}
            .EchoIf(IsOnOff)
            .Default(""),
        Key{"exponential",
            &BackgroundSpec::exponential,
            BoolValue(),
            "lengths of periods are exponentially distributed, else constant"}
            .EchoIf(IsOnOff),
        Key{"bytes",
            &BackgroundSpec::bytes,
            SizeValue(1, std::numeric_limits<int64_t>::max()),
            "TCP: how much"}
            .EchoIf([](const BackgroundSpec& flow) { return flow.bytes > 0; })
            .Default(""),
        Key{"bulk",
            ReadKind,
            +[](const BackgroundSpec& flow) {
                return IsBulk(flow) && flow.bytes == 0 ? KeyJson(true) : KeyJson();
            },
            BoolValue(),
            "TCP, as fast as it goes until it stops"}
            .Turn(-1),
        Key{"tcp",
            &BackgroundSpec::tcp,
            PluginValue(CongestionControls()),
            "TCP: congestion control of the flow"}
            .Default("that of ``network.tcp``"),
        Key{"start", &BackgroundSpec::start, TimeValue(Time(0)), "from the start of the run"},
        Key{"stop", &BackgroundSpec::stop, TimeValue(Time(0)), "from the start of the run"}
            .EchoIf([](const BackgroundSpec& flow) { return flow.stop < Time::Max(); })
            .Default("never"),
    };
    return KEYS;
}

} // namespace

Value<QueueSpec>
QueueValue()
{
    const auto size = SizeValue(0, MAX_QUEUE);
    return {{"a size, a map with one of " + QUEUE_NAMES + ", or " + PLUGIN_FORM,
             AnySchema({size.schema, MapSchema(QueueParts()), PluginSchema()}),
             QueueParts(),
             size.write},
            ReadQueue,
            QueueToJson};
}

Value<QueueSpec>
HostQueueValue()
{
    auto value = QueueValue();
    auto parts = QueueParts();
    parts.erase(std::remove_if(parts.begin(),
                               parts.end(),
                               [](const KeyText& part) {
                                   return part.name == "shared" || part.name == "alpha";
                               }),
                parts.end());
    value.accepted = "a size, a map with one of " + HOST_QUEUE_NAMES + ", or " + PLUGIN_FORM;
    value.schema = AnySchema({SizeValue(0, MAX_QUEUE).schema, MapSchema(parts), PluginSchema()});
    value.read = [](const YamlField& field) {
        const QueueSpec queue = ReadQueue(field);
        if (queue.kind == QueueSpec::Kind::SHARED)
        {
            field.FailWith("found a shared buffer, which only the ports of switches have; "
                           "accepted: a size, or a map with one of " +
                           HOST_QUEUE_NAMES);
        }
        return queue;
    };
    return value;
}

const Keys<LinkSpec>&
LinkKeys()
{
    static const Keys<LinkSpec> KEYS{
        Key{"rate", &LinkSpec::rate, HostRatesValue(), "each direction, or one for each"},
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

Value<LinkSpec>
HostLinkValue()
{
    static const Keys<LinkSpec> KEYS = [] {
        Keys<LinkSpec> keys = LinkKeys();
        keys.push_back(Key{"nics",
                           &LinkSpec::nics,
                           NicsValue(),
                           "of a host that workers share: how many such links"}
                           .Default("that of ``nics_per_host``"));
        return keys;
    }();
    return MapValue(KEYS, "a map with " + JoinWords(NamesOf(KEYS)));
}

Value<uint64_t>
NicsValue()
{
    constexpr uint64_t MAX_NICS = 64;
    return IntegerValue(1, MAX_NICS);
}

Value<LocalLinkSpec>
LocalLinkValue()
{
    static const Keys<LocalLinkSpec> KEYS{
        Key{"rate", &LocalLinkSpec::rate, RateValue(), "of each port, each direction"}.Default(""),
        Key{"delay", &LocalLinkSpec::delay, TimeValue(Time(0)), "from one to another"},
    };
    const std::string accepted = "a map with rate and perhaps delay";
    return MapValue(KEYS, accepted, accepted, {{"rate"}, accepted});
}

Value<uint64_t>
MtuValue()
{
    return IntegerValue(576, 65535);
}

Value<BackgroundSpec>
BackgroundValue()
{
    auto value = MapValue(BackgroundKeys(), FLOW_FORMS, "a map", {{"from", "to"}, FLOW_FORMS});
    value.read = [readMap = value.read](const YamlField& field) {
        const BackgroundSpec flow = readMap(field);
        const auto tcp = field.Get("tcp");
        if (tcp && !IsBulk(flow))
        {
            tcp.FailWith("found beside rate, which is that of UDP; accepted: beside bulk or bytes");
        }
        const auto stop = field.Get("stop");
        if (stop && flow.stop <= flow.start)
        {
            stop.Fail("a time after start");
        }
        return flow;
    };
    return value;
}

} // namespace ns3::dml
