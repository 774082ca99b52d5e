/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STREAM_WINDOW_MODEL_H
#define DML_STREAM_WINDOW_MODEL_H

#include "dml-transfer-policy.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Flow control as a model: the window that a receiver has granted by the time of a turn.
 *
 * Source: Li et al., ICPE 2020, section 3.2.2 (two-turns); gRPC 1.51 (every-window).
 */
class StreamWindowModel : public WindowView
{
  public:
    /// What the receiver grants after a stream's first turn.
    enum class Rule
    {
        TWO_TURNS, //!< the rest of the message: the second turn runs to completion (gRPC <= 1.30)
        EVERY_WINDOW, //!< one window again and again (gRPC 1.51)
        UNLIMITED,    //!< no flow control: whole streams
    };

    /**
     * @param rule what follows the first turn
     * @param window WIN in bytes, at least 1
     * @param lookahead bytes that the receiver announces beyond WIN once it knows the length
     *        (every-window: all turns but the first are WIN + lookahead)
     */
    StreamWindowModel(Rule rule, uint64_t window, uint64_t lookahead = 0);

    /**
     * @brief Rule by its name in a scenario.
     * @param name "two-turns", "every-window" or "unlimited"
     * @return the rule
     * @throws InputError for any other name
     */
    static Rule RuleFromString(const std::string& name);

    uint64_t GetWindow(OpIndex transfer, uint32_t turns) const override;

  private:
    Rule m_rule;          //!< what follows the first turn
    uint64_t m_window;    //!< WIN in bytes
    uint64_t m_lookahead; //!< bytes beyond WIN
};

} // namespace ns3::dml

#endif /* DML_STREAM_WINDOW_MODEL_H */
