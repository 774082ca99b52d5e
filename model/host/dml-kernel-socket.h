/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KERNEL_SOCKET_H
#define DML_KERNEL_SOCKET_H

#include "ns3/event-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// What the kernel tells of a connection (TCP_INFO).
struct TcpState
{
    uint64_t received{0};         //!< bytes in order, since it was opened
    uint64_t retransmissions{0};  //!< segments sent again, since it was opened
    uint64_t congestionWindow{0}; //!< bytes that may be on their way
    double roundTrip{0};          //!< smoothed, in seconds
};

/**
 * @ingroup dml-host
 * @brief A TCP socket of this machine's kernel, for what was written for ns-3's sockets.
 *
 * It wants the WallClockSimulator. Connecting goes on for ConnectTimeout where nobody listens yet,
 * as processes start one after the other. Zeros of packets that have no memory become real.
 */
class KernelSocket : public Socket
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    KernelSocket();
    ~KernelSocket() override;

    /// @param node whose application it serves
    void SetNode(Ptr<Node> node)
    {
        m_node = node;
    }

    /// @return what the kernel tells of it; zeros while it is not open
    TcpState GetState() const;

    /// @return whether the peer has opened the connection
    bool IsAccepted() const
    {
        return m_accepted;
    }

    /**
     * @brief Let somebody else send and receive on it, once it is connected. What it receives is
     * reported every few ms, and soon after the peer has closed it this end does.
     * @return another file of the same connection, which the caller closes
     */
    int HandOver();

    SocketErrno GetErrno() const override
    {
        return ERROR_NOTERROR;
    }

    SocketType GetSocketType() const override
    {
        return NS3_SOCK_STREAM;
    }

    Ptr<Node> GetNode() const override
    {
        return m_node;
    }

    int Bind(const Address& address) override;

    int Bind() override
    {
        return 0; // the kernel does it with Connect()
    }

    int Bind6() override
    {
        return -1;
    }

    int Close() override;
    int ShutdownSend() override;
    int ShutdownRecv() override;
    int Connect(const Address& address) override;
    int Listen() override;
    uint32_t GetTxAvailable() const override;
    int Send(Ptr<Packet> packet, uint32_t flags) override;
    int SendTo(Ptr<Packet> packet, uint32_t flags, const Address& address) override;
    uint32_t GetRxAvailable() const override;
    Ptr<Packet> Recv(uint32_t maxSize, uint32_t flags) override;
    Ptr<Packet> RecvFrom(uint32_t maxSize, uint32_t flags, Address& from) override;
    int GetSockName(Address& address) const override;
    int GetPeerName(Address& address) const override;

    bool SetAllowBroadcast(bool allow) override
    {
        return !allow;
    }

    bool GetAllowBroadcast() const override
    {
        return false;
    }

  private:
    void DoDispose() override;
    void MakeFile();
    void BindFile();
    void TryToConnect();
    void HandleConnecting();
    void HandleListening();
    void HandleOpen(uint32_t events);
    void Open(int file);
    void WatchOpen();
    bool Flush();
    void Lose(bool error);
    void HandleHangUp();
    void CountReceived();
    void CloseFile();

    Ptr<Node> m_node;                //!< node of the application
    int m_file{-1};                  //!< of the kernel
    InetSocketAddress m_peer;        //!< with whom to connect
    InetSocketAddress m_own;         //!< what Bind() was given; port 0: the kernel chooses
    EventId m_retry;                 //!< of connecting
    EventId m_watch;                 //!< of what somebody else does on it
    uint64_t m_reported{0};          //!< bytes that somebody else has received
    Time m_deadline;                 //!< of connecting
    bool m_connected{false};         //!< it can send
    bool m_accepted{false};          //!< the peer has opened it
    bool m_closing{false};           //!< it will be closed when all is sent
    bool m_ignored{false};           //!< its owner has left what has arrived
    std::vector<uint8_t> m_pending;  //!< what the kernel has not taken yet
    std::size_t m_taken{0};          //!< of that, from the start, what it has, while it takes
    uint32_t m_readable{0};          //!< bytes that had arrived when it was woken
    std::vector<uint8_t> m_received; //!< scratch of Recv()
    uint32_t m_sendBuffer{0};        //!< attribute
    uint32_t m_segment{0};           //!< attribute
    bool m_noDelay{true};            //!< attribute
    std::string m_congestion;        //!< attribute
    Ipv4Address m_address;           //!< attribute
    TracedCallback<Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>
        m_rx;       //!< trace source
    Time m_timeout; //!< attribute
};

/**
 * @ingroup dml-host
 * @brief Makes KernelSockets: aggregated to a node, it is what applications get for TCP.
 */
class KernelSocketFactory : public TcpSocketFactory
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @param congestion control of the sockets @param address of the sockets; see KernelSocket
    explicit KernelSocketFactory(std::string congestion = "",
                                 const Ipv4Address& address = Ipv4Address::GetAny())
        : m_congestion(std::move(congestion)),
          m_address(address)
    {
    }

    Ptr<Socket> CreateSocket() override;

  private:
    std::string m_congestion; //!< of the sockets
    Ipv4Address m_address;    //!< of the sockets
};

} // namespace ns3::dml

#endif /* DML_KERNEL_SOCKET_H */
