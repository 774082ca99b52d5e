/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_UTF8_H
#define DML_UTF8_H

#include <cstddef>
#include <string>
#include <string_view>

namespace ns3::dml
{

/// @param byte of text in UTF-8 @return whether it goes on with a character: no text begins there
inline bool
ContinuesCharacter(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// @param text in UTF-8 @param most bytes @return it; of a longer one as many whole characters as
/// fit, and three dots
inline std::string
ShortenText(std::string_view text, std::size_t most)
{
    if (text.size() <= most)
    {
        return std::string(text);
    }
    std::size_t end = most - 3;
    while (end > 0 && ContinuesCharacter(text[end]))
    {
        --end;
    }
    return std::string(text.substr(0, end)) + "...";
}

} // namespace ns3::dml

#endif /* DML_UTF8_H */
