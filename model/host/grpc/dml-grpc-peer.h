/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_PEER_H
#define DML_GRPC_PEER_H

#include <cstdint>
#include <functional>
#include <grpcpp/channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/channel_arguments.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/// @param message bytes @return them for gRPC
grpc::ByteBuffer MakeGrpcBuffer(const std::string& message);

/// @param head first bytes @param zeros that follow @return both for gRPC, the zeros in memory that
/// all messages share
grpc::ByteBuffer MakeGrpcBuffer(const std::string& head, uint64_t zeros);

/// @param buffer of gRPC @return its bytes
std::string ReadGrpcBuffer(const grpc::ByteBuffer& buffer);

/**
 * @ingroup dml-host
 * @brief Calls to a peer and from it by gRPC's library, on two connections that exist already.
 */
class GrpcPeer
{
  public:
    /// Told of a request: number of the call, path, message; in the order in which the peer has
    /// made them, or, if it does not number them, of their arrival.
    using Requested = std::function<void(int32_t, const std::string&, const std::string&)>;

    /// @param settings of both connections @param requested told of the peer's requests
    GrpcPeer(const grpc::ChannelArguments& settings, Requested requested);
    ~GrpcPeer();
    GrpcPeer(const GrpcPeer&) = delete;
    GrpcPeer& operator=(const GrpcPeer&) = delete;

    /// @param file of a connection that this end has opened; gRPC closes it
    void Connect(int file);

    /// @return whether Connect() was called
    bool IsConnected() const
    {
        return m_channel != nullptr;
    }

    /// @param file of a connection that the peer has opened; gRPC closes it
    void Accept(int file);

    /// @brief The peer closes the connection that was accepted; another one comes, with calls from
    /// the first on.
    void Forget();

    /// @return whether Accept() was called
    bool IsAccepted() const
    {
        return m_accepted;
    }

    /// Told of an answer, with how the call went.
    using Answered = std::function<void(const grpc::Status&, const grpc::ByteBuffer&)>;

    /// @brief Call the peer, at once or when Connect() is called: the peer's requests may come
    /// before.
    /// @param path name of the RPC, such as "/package.Service/Method"
    /// @param message bytes of the request
    /// @param answered called once, when the answer is there or the call has failed
    void Call(const std::string& path, const std::string& message, Answered answered);

    /// @param number of a call of the peer @param message that answers it
    void Answer(int32_t number, const grpc::ByteBuffer& message);
    /// @param number of a call of the peer @param message that answers it
    /// @param written called when the kernel has all of it, with whether that went well
    void Answer(int32_t number, const grpc::ByteBuffer& message, std::function<void(bool)> written);

  private:
    class Operations;
    struct ClientCall;
    struct ServerCall;

    /// A call that waits for Connect().
    struct EarlyCall
    {
        std::string path;    //!< name of the RPC, such as "/package.Service/Method"
        std::string message; //!< bytes of the request
        Answered answered;   //!< called once, when the answer is there or the call has failed
    };

    void AwaitCall();
    void HandleCall(const std::shared_ptr<ServerCall>& call);
    void DeliverRequests();

    grpc::ChannelArguments m_settings;                            //!< of both connections
    Requested m_requested;                                        //!< told of requests
    grpc::AsyncGenericService m_service;                          //!< takes all calls
    std::unique_ptr<grpc::Server> m_server;                       //!< of the peer's connection
    std::unique_ptr<Operations> m_operations;                     //!< under way
    std::shared_ptr<grpc::Channel> m_channel;                     //!< of this end's connection
    std::unique_ptr<grpc::GenericStub> m_stub;                    //!< on it
    std::vector<EarlyCall> m_earlyCalls;                          //!< until Connect()
    std::set<std::shared_ptr<ClientCall>> m_clientCalls;          //!< not answered yet
    std::map<int32_t, std::shared_ptr<ServerCall>> m_serverCalls; //!< to be answered
    std::map<int32_t, std::shared_ptr<ServerCall>> m_arriving;    //!< by number, until delivered
    int32_t m_called{0};                                          //!< calls of this end
    int32_t m_arrived{0};   //!< calls of the peer that have arrived
    int32_t m_delivered{0}; //!< those that m_requested was told of
    bool m_accepted{false}; //!< the peer has a connection
};

} // namespace ns3::dml

#endif /* DML_GRPC_PEER_H */
