/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-step-readers.h"

#include "ns3/dml-error.h"
#include "ns3/dml-trace-input.h"

#include <cctype>

namespace ns3::dml
{

namespace
{

/// Bytes at the start of a file that tell its type.
constexpr std::size_t HEAD = 4096;

bool
IsNameCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool
IsSpace(char c)
{
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

} // namespace

bool
IsRunMetadataText(TraceInput& input)
{
    const std::string_view head = input.PeekAhead(HEAD);
    std::size_t i = 0;
    const auto skipSpaces = [&] {
        while (i < head.size() && IsSpace(head[i]))
        {
            ++i;
        }
    };
    skipSpaces();
    while (i < head.size() && head[i] == '#')
    {
        i = std::min(head.size(), head.find('\n', i));
        skipSpaces();
    }
    const std::size_t start = i;
    while (i < head.size() && IsNameCharacter(head[i]))
    {
        ++i;
    }
    // A binary file may start with a newline (tag 1), one letter (a length) and another newline.
    const bool hasName = i > start + 1;
    skipSpaces();
    return hasName && i < head.size() && (head[i] == '{' || head[i] == '<' || head[i] == ':');
}

TfStep
ReadRunMetadata(TraceInput& input)
{
    const bool isText = IsRunMetadataText(input);
    TfStep step = isText ? ReadRunMetadataText(input) : ReadRunMetadataWire(input);
    step.file = input.GetFile();
    step.bytesRead = input.GetOffset();
    if (step.ops.empty())
    {
        throw InputError(input.GetFile() + ": found a RunMetadata without any op; accepted: one "
                                           "that was written with trace_level FULL_TRACE");
    }
    return step;
}

} // namespace ns3::dml
