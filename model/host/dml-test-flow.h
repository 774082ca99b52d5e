/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TEST_FLOW_H
#define DML_TEST_FLOW_H

#include "dml-network-namespace.h"

#include "ns3/ipv4-address.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Where one end of a test's connection is.
struct TestFlowEnd
{
    const NetworkNamespace& place; //!< its network; must live until the flow is made
    Ipv4Address address;           //!< its own there
    std::string device{};          //!< the only one that it uses; empty: as routes say
};

/**
 * @ingroup dml-host
 * @brief A TCP connection whose both ends this process has. Its congestion control is reno.
 */
class TestFlow
{
  public:
    using Clock = std::chrono::steady_clock; //!< of all times

    /**
     * @brief Connect.
     * @param name for errors, such as that of a link
     * @param from end that sends
     * @param to end that receives
     * @param sendBuffer bytes; 0: as the kernel wants
     * @throws RunError if that takes longer than 2 s, or the system refuses something
     */
    TestFlow(const std::string& name,
             const TestFlowEnd& from,
             const TestFlowEnd& to,
             uint32_t sendBuffer = 0);
    ~TestFlow();
    TestFlow(const TestFlow&) = delete;
    TestFlow& operator=(const TestFlow&) = delete;

    /// @param rounds of one byte there and back @return the shortest of their times, seconds
    /// @throws RunError if one takes longer than 2 s
    double MeasureRoundTrip(uint32_t rounds) const;

    /// @brief Make it ready for Run(). @param warmUp time from the first arrival that does not
    /// count @param window time that counts, after it
    void Start(std::chrono::nanoseconds warmUp, std::chrono::nanoseconds window);

    /// @return bytes per second in the window; 0 until it is over
    double GetGoodput() const
    {
        return m_goodput;
    }

    /**
     * @brief Let flows that have been started run at the same time until all are over.
     * @param flows any
     * @throws RunError if one has not ended after 5 s, or its connection breaks
     */
    static void Run(const std::vector<std::unique_ptr<TestFlow>>& flows);

  private:
    /// @brief Send and take what can be sent and taken at once. @return false once it is over
    bool Move();
    /// @param what failed; errno says why
    [[noreturn]] void Fail(const std::string& what) const;
    void Send();
    void Receive();

    std::string m_name;                       //!< for errors
    OpenFile m_sender;                        //!< socket
    OpenFile m_receiver;                      //!< socket
    std::chrono::nanoseconds m_warmUp{0};     //!< from the first arrival
    std::chrono::nanoseconds m_window{0};     //!< time that counts
    Clock::time_point m_first;                //!< first arrival
    std::optional<Clock::time_point> m_begin; //!< first arrival that counts
    uint64_t m_received{0};                   //!< bytes
    uint64_t m_before{0};                     //!< bytes until m_begin
    double m_goodput{0};                      //!< bytes per second
    bool m_isOver{true};                      //!< nothing more to send
    bool m_isEmpty{true};                     //!< nothing more on its way
};

} // namespace ns3::dml

#endif /* DML_TEST_FLOW_H */
