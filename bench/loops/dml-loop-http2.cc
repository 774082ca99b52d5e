/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// An HTTP/2 session that sends a tensor, and one that receives it. No network, no ns-3.

#include "ns3/dml-byte-sink.h"
#include "ns3/dml-http2-session.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <string>

namespace
{

using namespace ns3::dml;

constexpr uint64_t TENSOR = 4000000;   // bytes
constexpr size_t SEND_BUFFER = 131072; // bytes that a sink takes in one go
constexpr size_t SEGMENT = 1448;       // bytes that a session receives in one go

/// Takes as much as a send buffer; keeps the bytes.
class Buffer : public ByteSink
{
  public:
    size_t GetRoom() override
    {
        return SEND_BUFFER - std::min(SEND_BUFFER, bytes.size());
    }

    void Write(const uint8_t* data, size_t n) override
    {
        bytes.append(reinterpret_cast<const char*>(data), n);
    }

    void WriteZeros(size_t n) override
    {
        bytes.append(n, '\0');
    }

    std::string bytes; //!< not taken yet
};

/// Takes as much as a send buffer; counts real bytes and zeros, as TCP's virtual payload does.
class Counter : public ByteSink
{
  public:
    size_t GetRoom() override
    {
        return SEND_BUFFER - std::min(SEND_BUFFER, held);
    }

    void Write(const uint8_t* data, size_t n) override
    {
        benchmark::DoNotOptimize(data);
        held += n;
    }

    void WriteZeros(size_t n) override
    {
        held += n;
    }

    size_t held{0}; //!< bytes in the buffer
};

/// Answers every request with a tensor.
class Answer : public Http2Listener
{
  public:
    void OnRequest(int32_t streamId, const std::string&, const std::string&) override
    {
        session->SubmitResponse(streamId, "", TENSOR);
        session->Grant(streamId, Http2Session::UNLIMITED);
    }

    Http2Session* session{nullptr}; //!< of the server
};

/// A worker that pulls, and a server.
struct Pair
{
    Pair()
    {
        answer.session = &server;
    }

    /// Ask for a tensor; the server's answer waits to be pumped.
    void Request()
    {
        client.SendRequest("/tensorflow.WorkerService/RecvTensor", "ps0:50051", "tensor");
        Exchange();
    }

    /// What the client says goes to the server.
    void Exchange()
    {
        client.Pump(up);
        server.Receive(reinterpret_cast<const uint8_t*>(up.bytes.data()), up.bytes.size());
        up.bytes.clear();
    }

    /// What the server says goes to the client, as segments.
    void Deliver(Buffer& down)
    {
        for (size_t at = 0; at < down.bytes.size(); at += SEGMENT)
        {
            client.Receive(reinterpret_cast<const uint8_t*>(down.bytes.data()) + at,
                           std::min(SEGMENT, down.bytes.size() - at));
        }
        down.bytes.clear();
    }

    Http2Listener atClient;                                                       //!< does nothing
    Answer answer;                                                                //!< at the server
    Http2Session client{{Http2Role::CLIENT}, MakeGrantRule("message"), atClient}; //!< worker
    Http2Session server{{Http2Role::SERVER}, MakeGrantRule("message"), answer};   //!< server
    Buffer up;                                                                    //!< to the server
};

/// Both ends, with real bytes in between.
void
MoveTensor(benchmark::State& state)
{
    Pair pair;
    Buffer down;
    for (auto _ : state)
    {
        pair.Request();
        do
        {
            pair.server.Pump(down);
            pair.Deliver(down);
            pair.Exchange();
        } while (pair.server.GetOpenStreams() > 0);
    }
    state.SetBytesProcessed(state.iterations() * TENSOR);
}

/// The sender alone: frames are made, zeros are counted. What the receiver says is not timed.
void
PumpTensor(benchmark::State& state)
{
    for (auto _ : state)
    {
        state.PauseTiming();
        Pair pair; // a new one: its windows, which nobody opens, are larger than one tensor
        pair.Request();
        Counter down;
        state.ResumeTiming();
        while (pair.server.Pump(down) == Http2PumpResult::SINK_FULL)
        {
            down.held = 0;
        }
        if (pair.server.GetOpenStreams() > 0)
        {
            state.SkipWithError("a part of the tensor was not sent");
        }
    }
    state.SetBytesProcessed(state.iterations() * TENSOR);
}

BENCHMARK(MoveTensor);
BENCHMARK(PumpTensor);

} // namespace
