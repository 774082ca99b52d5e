/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-import-format.h"

#include <algorithm>

namespace ns3::dml
{

std::string_view
SkipSpace(std::string_view head)
{
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    return head;
}

bool
StartsAsJson(std::string_view head)
{
    head = SkipSpace(head);
    return !head.empty() && (head.front() == '{' || head.front() == '[');
}

bool
IsTraceEvent(const JsonRecord& record)
{
    const std::string& list = record.GetList();
    return list == "traceEvents" || list.empty();
}

} // namespace ns3::dml
