/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-peer.h"

#include "ns3/dml-wall-clock-simulator.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>
#include <thread>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Calls that gRPC may take before this end has looked at one.
constexpr int AWAITED_CALLS = 64;

/// Metadata of calls: their order, which gRPC does not promise to keep.
constexpr const char* NUMBER = "dml-number";

/// Bytes that messages share; larger ones have them several times.
constexpr std::size_t ZEROS = 1 << 20;

/// Takes the settings of channels.
class SettingsOption : public grpc::ServerBuilderOption
{
  public:
    explicit SettingsOption(const grpc::ChannelArguments& settings)
        : m_settings(settings)
    {
    }

    void UpdateArguments(grpc::ChannelArguments* arguments) override
    {
        *arguments = m_settings;
    }

    void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>*) override
    {
    }

  private:
    const grpc::ChannelArguments& m_settings; //!< to be taken
};

} // namespace

grpc::ByteBuffer
MakeGrpcBuffer(const std::string& message)
{
    const grpc::Slice slice(message);
    return {&slice, 1};
}

grpc::ByteBuffer
MakeGrpcBuffer(const std::string& head, uint64_t zeros)
{
    static const std::vector<uint8_t> MEMORY(ZEROS);
    std::vector<grpc::Slice> slices{grpc::Slice(head)};
    for (uint64_t left = zeros; left > 0;)
    {
        const std::size_t size = std::min<uint64_t>(left, ZEROS);
        slices.emplace_back(MEMORY.data(), size, grpc::Slice::STATIC_SLICE);
        left -= size;
    }
    return {slices.data(), slices.size()};
}

std::string
ReadGrpcBuffer(const grpc::ByteBuffer& buffer)
{
    std::vector<grpc::Slice> slices;
    std::string bytes;
    if (buffer.Valid() && buffer.Dump(&slices).ok())
    {
        for (const auto& slice : slices)
        {
            bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
        }
    }
    return bytes;
}

/// What gRPC does in its own threads, told to the thread of the simulator.
class GrpcPeer::Operations
{
  public:
    /// Called when an operation is done, with whether it did what it should.
    using Done = std::function<void(bool)>;

    /// @param queue where gRPC puts operations that are done
    explicit Operations(std::unique_ptr<grpc::ServerCompletionQueue> queue)
        : m_queue(std::move(queue)),
          m_simulator(WallClockSimulator::Get()),
          m_thread(&Operations::Poll, this)
    {
    }

    /// Waits for all that are under way, and tells of none any more: cancel them before.
    ~Operations()
    {
        *m_open = false;
        m_queue->Shutdown();
        m_thread.join();
    }

    grpc::ServerCompletionQueue* GetQueue()
    {
        return m_queue.get();
    }

    /// @param done called in the simulator's thread; what it holds lives as long as the operation
    /// @return tag of one operation
    static void* MakeTag(Done done)
    {
        return new Done(std::move(done));
    }

  private:
    void Poll()
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

    std::unique_ptr<grpc::ServerCompletionQueue> m_queue;       //!< of gRPC
    WallClockSimulator& m_simulator;                            //!< of this process
    std::shared_ptr<bool> m_open{std::make_shared<bool>(true)}; //!< anyone wants to know
    std::thread m_thread;                                       //!< waits for the queue
};

/// A call of this end.
struct GrpcPeer::ClientCall
{
    grpc::ClientContext context;                                               //!< of gRPC
    grpc::ByteBuffer response;                                                 //!< the answer
    grpc::Status status;                                                       //!< how it went
    std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader; //!< of gRPC
};

/// A call of the peer.
struct GrpcPeer::ServerCall
{
    grpc::GenericServerContext context;                    //!< of gRPC
    grpc::GenericServerAsyncReaderWriter stream{&context}; //!< of gRPC
    grpc::ByteBuffer request;                              //!< the message
    bool read{false};                                      //!< it is here
};

GrpcPeer::GrpcPeer(const grpc::ChannelArguments& settings, Requested requested)
    : m_settings(settings),
      m_requested(std::move(requested))
{
    m_settings.SetMaxReceiveMessageSize(-1);
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(-1);
    builder.SetOption(std::make_unique<SettingsOption>(m_settings));
    builder.RegisterAsyncGenericService(&m_service);
    auto queue = builder.AddCompletionQueue();
    m_server = builder.BuildAndStart();
    m_operations = std::make_unique<Operations>(std::move(queue));
    for (int i = 0; i < AWAITED_CALLS; ++i)
    {
        AwaitCall();
    }
}

GrpcPeer::~GrpcPeer()
{
    for (const auto& call : m_clientCalls)
    {
        call->context.TryCancel();
    }
    m_server->Shutdown(std::chrono::system_clock::now());
    m_operations.reset();
}

void
GrpcPeer::Connect(int file)
{
    m_channel = grpc::CreateCustomInsecureChannelFromFd("peer", file, m_settings);
    m_stub = std::make_unique<grpc::GenericStub>(m_channel);
    for (auto& call : std::exchange(m_earlyCalls, {}))
    {
        Call(call.path, call.message, std::move(call.answered));
    }
}

void
GrpcPeer::Accept(int file)
{
    m_accepted = true;
    grpc::AddInsecureChannelFromFd(m_server.get(), file);
}

void
GrpcPeer::Forget()
{
    m_accepted = false;
    m_arriving.clear();
    m_arrived = 0;
    m_delivered = 0;
}

void
GrpcPeer::Call(const std::string& path, const std::string& message, Answered answered)
{
    if (!m_stub)
    {
        m_earlyCalls.push_back({path, message, std::move(answered)});
        return;
    }
    const auto call = std::make_shared<ClientCall>();
    m_clientCalls.insert(call);
    call->context.AddMetadata(NUMBER, std::to_string(++m_called));
    call->reader = m_stub->PrepareUnaryCall(&call->context,
                                            path,
                                            MakeGrpcBuffer(message),
                                            m_operations->GetQueue());
    call->reader->StartCall();
    call->reader->Finish(&call->response,
                         &call->status,
                         Operations::MakeTag([this, call, answered = std::move(answered)](bool) {
                             m_clientCalls.erase(call);
                             answered(call->status, call->response);
                         }));
}

void
GrpcPeer::AwaitCall()
{
    const auto call = std::make_shared<ServerCall>();
    m_service.RequestCall(&call->context,
                          &call->stream,
                          m_operations->GetQueue(),
                          m_operations->GetQueue(),
                          Operations::MakeTag([this, call](bool good) {
                              if (good)
                              {
                                  HandleCall(call);
                              }
                          }));
}

void
GrpcPeer::HandleCall(const std::shared_ptr<ServerCall>& call)
{
    AwaitCall();
    const auto& metadata = call->context.client_metadata();
    const auto given = metadata.find(NUMBER);
    int32_t number = ++m_arrived;
    if (given != metadata.end())
    {
        std::from_chars(given->second.begin(), given->second.end(), number);
    }
    m_arriving[number] = call;
    call->stream.Read(&call->request, Operations::MakeTag([this, call](bool good) {
        // Of a process that has ended meanwhile there is no message; nor has it sent another one.
        call->read = good;
        DeliverRequests();
    }));
}

void
GrpcPeer::DeliverRequests()
{
    for (auto next = m_arriving.find(m_delivered + 1);
         next != m_arriving.end() && next->second->read;
         next = m_arriving.find(m_delivered + 1))
    {
        const auto call = next->second;
        m_arriving.erase(next);
        m_serverCalls[++m_delivered] = call;
        m_requested(m_delivered, call->context.method(), ReadGrpcBuffer(call->request));
    }
}

void
GrpcPeer::Answer(int32_t number, const grpc::ByteBuffer& message)
{
    const auto call = m_serverCalls.at(number);
    call->stream.WriteAndFinish(message,
                                grpc::WriteOptions(),
                                grpc::Status::OK,
                                Operations::MakeTag([call](bool) {}));
    m_serverCalls.erase(number);
}

void
GrpcPeer::Answer(int32_t number, const grpc::ByteBuffer& message, std::function<void(bool)> written)
{
    const auto call = m_serverCalls.at(number);
    m_serverCalls.erase(number);
    call->stream.Write(message,
                       Operations::MakeTag([this, call, written = std::move(written)](bool good) {
                           call->stream.Finish(grpc::Status::OK,
                                               Operations::MakeTag([call](bool) {}));
                           written(good);
                       }));
}

} // namespace ns3::dml
