/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRANT_RULE_H
#define DML_GRANT_RULE_H

#include "dml-bdp-estimator.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3::dml
{

/// Largest HTTP/2 flow-control window and window increment, in bytes (RFC 9113, section 6.9).
constexpr uint32_t HTTP2_MAX_WINDOW = 0x7fffffff;
/// Bytes that the rules `capped` and `bdp` announce beyond WIN once a message's length is known
/// (gRPC 1.51: kMaxWindowDelta in chttp2's flow_control.h).
constexpr uint32_t GRANT_LOOKAHEAD = 1 << 20;
/// Grants of fewer bytes wait, in bytes, unless they end the message. gRPC 1.51 waits longer, but
/// sends them with whatever it writes next.
constexpr uint32_t GRANT_STEP = 8192;

/// What a receiver knows about a stream when data arrived on it. All in bytes.
struct GrantState
{
    uint32_t window{0};          //!< WIN: initial window of every stream
    uint64_t received{0};        //!< DATA bytes that arrived
    uint64_t announced{0};       //!< WIN plus all increments so far: what the sender may have sent
    uint64_t expected{0};        //!< message and 5-byte prefix; 0 while the prefix is incomplete
    bool prefixCompleted{false}; //!< the data that just arrived completed the prefix

    /// @return bytes that may still come unasked; negative if the sender started with more than WIN
    int64_t GetOutstanding() const
    {
        return static_cast<int64_t>(announced) - static_cast<int64_t>(received);
    }
};

/**
 * @ingroup dml-http2
 * @brief Decides when a receiver announces more stream window, and how much.
 *
 * An object serves one session, so a rule may keep state of its connection. The connection's own
 * window never limits: it is opened to HTTP2_MAX_WINDOW and consumed at once.
 */
class GrantRule
{
  public:
    virtual ~GrantRule() = default;

    /**
     * @param state of the stream on which data just arrived
     * @return bytes by which to raise the stream's window, 0 for none; the session cuts it so that
     *         at most HTTP2_MAX_WINDOW bytes are outstanding
     */
    virtual uint64_t GetIncrement(const GrantState& state) = 0;

    /// @return whether DataArrived() wants to be told, with the time
    virtual bool Measures() const
    {
        return false;
    }

    /**
     * @brief Data arrived on the connection, and the rule measures it.
     * @param bytes DATA bytes
     * @param now seconds
     * @return true to send a PING now; its acknowledgement is reported by PingAcknowledged()
     */
    virtual bool DataArrived([[maybe_unused]] uint64_t bytes, [[maybe_unused]] double now)
    {
        return false;
    }

    /**
     * @brief The PING that DataArrived() asked for was acknowledged.
     * @param window WIN as last announced, bytes
     * @param now seconds
     * @return WIN from now on, bytes, @p window to HTTP2_MAX_WINDOW
     */
    virtual uint32_t PingAcknowledged(uint32_t window, [[maybe_unused]] double now)
    {
        return window;
    }
};

/**
 * @ingroup dml-http2
 * @brief Rule `message`: as soon as the length prefix is here, grant the rest of the message.
 *
 * As gRPC up to 1.30 does, which results in the two-turn rule. Messages larger than the largest
 * window are topped up whenever half of it is used.
 */
class MessageGrantRule : public GrantRule
{
  public:
    uint64_t GetIncrement(const GrantState& state) override;
};

/**
 * @ingroup dml-http2
 * @brief Rule `consume`: refill the window to WIN as bytes are read, in steps of GRANT_STEP (half
 * of WIN if that is less). Results in the every-window rule.
 */
class ConsumeGrantRule : public GrantRule
{
  public:
    uint64_t GetIncrement(const GrantState& state) override;
};

/**
 * @ingroup dml-http2
 * @brief Rule `capped`: announce at most WIN + GRANT_LOOKAHEAD bytes beyond what has arrived, once
 * the length is known, and never more than the message needs. Results in the every-window rule.
 *
 * Source: gRPC 1.51, StreamFlowControl in chttp2's flow_control.cc.
 */
class CappedGrantRule : public GrantRule
{
  public:
    uint64_t GetIncrement(const GrantState& state) override;
};

/**
 * @ingroup dml-http2
 * @brief Rule `bdp`: as `capped`, with a WIN that follows an estimate of the connection's
 * bandwidth-delay product (BdpEstimator). It never falls.
 */
class BdpGrantRule : public CappedGrantRule
{
  public:
    /// @param largest to which WIN grows at most, bytes
    explicit BdpGrantRule(uint32_t largest = BdpEstimator::MAX_WINDOW);

    bool Measures() const override
    {
        return true;
    }

    bool DataArrived(uint64_t bytes, double now) override
    {
        return m_estimator.DataArrived(bytes, now);
    }

    uint32_t PingAcknowledged(uint32_t window, double now) override;

  private:
    BdpEstimator m_estimator; //!< of this connection
    uint32_t m_largest;       //!< WIN at most, bytes
};

/**
 * @param name "message", "consume", "capped" or "bdp"
 * @param largest to which the rule raises WIN at most, bytes
 * @return a new rule of that name
 * @throws InputError if there is none
 */
std::unique_ptr<GrantRule> MakeGrantRule(const std::string& name,
                                         uint32_t largest = BdpEstimator::MAX_WINDOW);

/// @return all names that MakeGrantRule accepts, comma-separated, for error messages
std::string GrantRuleNames();

} // namespace ns3::dml

#endif /* DML_GRANT_RULE_H */
