/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-op.h"

#include <array>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::array<std::pair<OpKind, std::string_view>, 6> KIND_NAMES{{
    {OpKind::PULL, "pull"},
    {OpKind::FORWARD, "forward"},
    {OpKind::BACKWARD, "backward"},
    {OpKind::PUSH, "push"},
    {OpKind::UPDATE, "update"},
    {OpKind::COMPUTE, "compute"},
}};

} // namespace

std::string_view
ToString(OpKind kind)
{
    return KIND_NAMES[static_cast<std::size_t>(kind)].second;
}

std::optional<OpKind>
OpKindFromString(std::string_view name)
{
    for (const auto& [kind, text] : KIND_NAMES)
    {
        if (text == name)
        {
            return kind;
        }
    }
    return std::nullopt;
}

std::string
OpKindNames()
{
    std::string names;
    for (const auto& [kind, text] : KIND_NAMES)
    {
        names.append(names.empty() ? "" : ", ").append(text);
    }
    return names;
}

} // namespace ns3::dml
