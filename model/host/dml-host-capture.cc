/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-capture.h"

#include "dml-wall-clock-simulator.h"

#include "ns3/dml-error.h"
#include "ns3/pcap-file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr int64_t SECOND = 1000000000;   //!< ns
constexpr uint32_t IP_PACKETS = 101;     //!< LINKTYPE_RAW of pcap files
constexpr uint32_t LONGEST = 256 * 1024; //!< bytes; a GSO burst is one packet here
constexpr int WAITING = 256 << 20;       //!< bytes of packets that wait for the recorder

/// @param what was done @throws RunError with the reason
[[noreturn]] void
FailToCapture(const std::string& what)
{
    throw RunError("output.pcap: cannot " + what + ": " + std::strerror(errno));
}

/// @return a socket that sees all IP packets of this network namespace, with their times
OpenFile
OpenPacketSocket()
{
    OpenFile file(socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ALL)));
    if (file.Get() < 0)
    {
        FailToCapture("see packets");
    }
    const int on = 1;
    if (setsockopt(file.Get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    {
        FailToCapture("have the times of packets");
    }
    // the first wants a right, the second one has a limit
    if (setsockopt(file.Get(), SOL_SOCKET, SO_RCVBUFFORCE, &WAITING, sizeof WAITING) != 0)
    {
        setsockopt(file.Get(), SOL_SOCKET, SO_RCVBUF, &WAITING, sizeof WAITING);
    }
    return file;
}

/// @return by how much the clock of the kernel's times is ahead of ReadClock(), ns
int64_t
ReadAhead()
{
    timespec time{};
    const int64_t before = WallClockSimulator::ReadClock();
    clock_gettime(CLOCK_REALTIME, &time);
    const int64_t after = WallClockSimulator::ReadClock();
    return time.tv_sec * SECOND + time.tv_nsec - (before + after) / 2;
}

/// @return a new file @throws RunError if there can be none
std::unique_ptr<PcapFile>
Begin(const std::string& path)
{
    auto pcap = std::make_unique<PcapFile>();
    pcap->Open(path, std::ios::out | std::ios::binary);
    if (!pcap->Fail())
    {
        pcap->Init(IP_PACKETS, LONGEST, PcapFile::ZONE_DEFAULT, false, true);
    }
    if (pcap->Fail())
    {
        FailToCapture("write " + path);
    }
    return pcap;
}

/// Writes packets of a socket to a file.
class Recorder
{
  public:
    Recorder(int file, PcapFile& pcap, int64_t start)
        : m_file(file),
          m_pcap(pcap),
          m_zero(start + ReadAhead()),
          m_buffer(LONGEST)
    {
    }

    /// @return whether there was a packet
    bool Take()
    {
        std::array<char, 256> control{};
        iovec part{m_buffer.data(), m_buffer.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t size = recvmsg(m_file, &message, MSG_DONTWAIT);
        if (size <= 0)
        {
            return false;
        }
        timespec time{};
        for (cmsghdr* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head))
        {
            if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_TIMESTAMPNS)
            {
                std::memcpy(&time, CMSG_DATA(head), sizeof time);
            }
        }
        const int64_t since = std::max<int64_t>(0, time.tv_sec * SECOND + time.tv_nsec - m_zero);
        m_pcap.Write(since / SECOND, since % SECOND, m_buffer.data(), size);
        return true;
    }

  private:
    int m_file;                    //!< the socket
    PcapFile& m_pcap;              //!< the file
    int64_t m_zero;                //!< the time that is 0, on the kernel's clock, ns
    std::vector<uint8_t> m_buffer; //!< for a packet
};

} // namespace

HostCapture::HostCapture(const std::string& path, int64_t start)
{
    const OpenFile packets = OpenPacketSocket();
    Begin(path); // fails here, where somebody is told
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
    {
        FailToCapture("make a pipe");
    }
    const OpenFile stop(ends[0]);
    m_stop = OpenFile(ends[1]);
    const pid_t parent = getpid();
    if (!m_process.Fork())
    {
        return; // the child has the socket, and writes the file
    }
    m_stop = OpenFile();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
    {
        _exit(1); // it was faster
    }
    const auto pcap = Begin(path);
    Recorder recorder(packets.Get(), *pcap, start);
    for (bool going = true; going;)
    {
        std::array<pollfd, 2> files{{{packets.Get(), POLLIN, 0}, {stop.Get(), POLLIN, 0}}};
        poll(files.data(), files.size(), -1);
        going = files[1].revents == 0;
        while (recorder.Take())
        {
        }
    }
    pcap->Close();
    _exit(0);
}

HostCapture::~HostCapture()
{
    m_stop = OpenFile();
    m_process.Wait();
}

} // namespace ns3::dml
