/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stream-tap.h"

#include "ns3/data-rate.h"
#include "ns3/dml-step-application.h"
#include "ns3/ipv4-header.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"

#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::size_t SETTING = 6; // bytes: identifier and value (RFC 9113, section 6.5.1)
constexpr uint64_t SETTING_INITIAL_WINDOW_SIZE = 4;
constexpr uint64_t SETTING_MAX_FRAME_SIZE = 5;

/// @return the big-endian number that @p bytes are
uint64_t
GetNumber(std::string_view bytes)
{
    uint64_t value = 0;
    for (const char byte : bytes)
    {
        value = value << 8 | static_cast<uint8_t>(byte);
    }
    return value;
}

} // namespace

void
StreamTap::Attach(Ptr<PointToPointNetDevice> device)
{
    DataRateValue rate;
    device->GetAttribute("DataRate", rate);
    m_secondsPerByte = 8.0 / rate.Get().GetBitRate();
    device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&StreamTap::Sent, this));
    device->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&StreamTap::Received, this));
}

std::vector<StreamTurn>
StreamTap::GetTurnsByPlace(uint64_t least) const
{
    std::map<std::pair<uint32_t, int32_t>, uint64_t> bytes; // by receiver and stream
    for (const StreamTurn& turn : m_turns)
    {
        bytes[{turn.address, turn.stream}] += turn.bytes;
    }
    std::map<uint32_t, int32_t> counts; // by receiver
    std::map<std::pair<uint32_t, int32_t>, int32_t> places;
    for (const auto& [key, total] : bytes)
    {
        if (total >= least)
        {
            places[key] = counts[key.first]++; // streams are numbered as they are opened
        }
    }
    std::vector<StreamTurn> turns;
    for (const StreamTurn& turn : m_turns)
    {
        const auto place = places.find({turn.address, turn.stream});
        if (place != places.end())
        {
            turns.push_back(turn);
            turns.back().stream = place->second;
        }
    }
    return turns;
}

void
StreamTap::Sent(Ptr<const Packet> packet)
{
    m_start = Simulator::Now();
    m_end = m_start + Seconds(packet->GetSize() * m_secondsPerByte);
    Handle(*packet, true);
}

void
StreamTap::Received(Ptr<const Packet> packet)
{
    m_start = Simulator::Now();
    m_end = m_start;
    Handle(*packet, false);
}

void
StreamTap::Handle(const Packet& packet, bool sent)
{
    const Ptr<Packet> copy = packet.Copy();
    PppHeader ppp;
    Ipv4Header ip;
    TcpHeader tcp;
    copy->RemoveHeader(ppp);
    copy->RemoveHeader(ip);
    if (ip.GetProtocol() != TcpL4Protocol::PROT_NUMBER)
    {
        return;
    }
    copy->RemoveHeader(tcp);
    const uint16_t own = sent ? tcp.GetSourcePort() : tcp.GetDestinationPort();
    if (own != StepApplication::PORT)
    {
        return;
    }
    const uint32_t address = (sent ? ip.GetDestination() : ip.GetSource()).Get();
    const uint16_t port = sent ? tcp.GetDestinationPort() : tcp.GetSourcePort();
    Flow& flow = m_flows[uint64_t{address} << 17 | uint64_t{port} << 1 | (sent ? 1 : 0)];
    if ((tcp.GetFlags() & TcpHeader::SYN) != 0)
    {
        flow.address = address;
        flow.started = true;
        flow.next = tcp.GetSequenceNumber().GetValue() + 1;
        flow.walker = std::make_unique<FrameWalker>(
            [this, &flow, sent](const FrameWalker::Header& frame, uint32_t, std::string_view data) {
                if (sent && frame.type == FRAME_DATA)
                {
                    AddData(flow, frame.streamId, data.size());
                }
                else if (!sent && frame.type == FRAME_SETTINGS)
                {
                    AddSettings(flow, frame, data);
                }
            });
    }
    if (!flow.started || copy->GetSize() == 0)
    {
        return;
    }
    std::string bytes(copy->GetSize(), '\0');
    copy->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size());
    flow.ahead[tcp.GetSequenceNumber().GetValue()] = std::move(bytes);
    for (auto segment = flow.ahead.begin(); segment != flow.ahead.end();)
    {
        // sequence numbers wrap around, so their difference decides
        const auto late = static_cast<int32_t>(flow.next - segment->first);
        if (late < 0)
        {
            break;
        }
        if (static_cast<std::size_t>(late) < segment->second.size())
        {
            flow.next += static_cast<uint32_t>(segment->second.size() - late);
            flow.walker->Add(std::string_view(segment->second).substr(late));
        }
        segment = flow.ahead.erase(segment);
    }
}

void
StreamTap::AddData(Flow& flow, int32_t stream, uint64_t bytes)
{
    if (bytes == 0)
    {
        return;
    }
    if (flow.stream != stream)
    {
        flow.stream = stream;
        flow.turn = m_turns.size();
        m_turns.push_back({flow.address, stream, 0, m_start, m_end});
    }
    StreamTurn& turn = m_turns[flow.turn];
    turn.bytes += bytes;
    turn.end = m_end;
}

void
StreamTap::AddSettings(Flow& flow, const FrameWalker::Header& frame, std::string_view data)
{
    flow.settings += data;
    if (flow.settings.size() < frame.length || frame.length == 0)
    {
        return;
    }
    WindowChange change{flow.address, 0, 0, m_end};
    for (std::size_t i = 0; i + SETTING <= flow.settings.size(); i += SETTING)
    {
        const std::string_view setting = std::string_view(flow.settings).substr(i, SETTING);
        const uint64_t value = GetNumber(setting.substr(2));
        switch (GetNumber(setting.substr(0, 2)))
        {
        case SETTING_INITIAL_WINDOW_SIZE:
            change.window = static_cast<uint32_t>(value);
            break;
        case SETTING_MAX_FRAME_SIZE:
            change.maxFrameSize = static_cast<uint32_t>(value);
            break;
        default:
            break;
        }
    }
    flow.settings.clear();
    if (change.window > 0)
    {
        m_changes.push_back(change);
    }
}

} // namespace ns3::dml
