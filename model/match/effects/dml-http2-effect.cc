/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
Http2Effect()
{
    return {"http2", "HTTP/2 as the transport", nullptr, [](const Scenario&) {
                return std::vector<std::string>{"transfer.transport=tcp"};
            }};
}

} // namespace ns3::dml
