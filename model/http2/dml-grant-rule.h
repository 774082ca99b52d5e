/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRANT_RULE_H
#define DML_GRANT_RULE_H

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{
namespace dml
{

/// Largest HTTP/2 flow-control window and window increment, in bytes (RFC 9113, section 6.9).
constexpr uint32_t HTTP2_MAX_WINDOW = 0x7fffffff;

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
 * @brief Rule `consume`: refill the window to WIN whenever half of it is used.
 */
class ConsumeGrantRule : public GrantRule
{
  public:
    uint64_t GetIncrement(const GrantState& state) override;
};

/**
 * @param name "message" or "consume"
 * @return a new rule of that name
 * @throws InputError if there is none
 */
std::unique_ptr<GrantRule> MakeGrantRule(const std::string& name);

/// @return all names that MakeGrantRule accepts, comma-separated, for error messages
std::string GrantRuleNames();

} // namespace dml
} // namespace ns3

#endif /* DML_GRANT_RULE_H */
