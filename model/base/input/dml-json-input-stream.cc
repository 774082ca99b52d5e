/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-json-input-stream.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ns3::dml
{

void
JsonInputStream::RefuseLength() const
{
    throw InputError(m_input.GetPlace() +
                     ": found a record of more than 64 MiB; accepted are smaller ones");
}

JsonInputStream::Ch
JsonInputStream::TakeOther()
{
    const Ch character = Peek();
    if (m_within > 0)
    {
        --m_within;
    }
    else if (m_quoted && (character & 0x80) != 0)
    {
        m_within = FindCharacter() - 1;
    }
    const int byte = m_input.Take();
    m_mended += byte >= 0 && static_cast<Ch>(byte) != character ? 1 : 0;
    if (m_escaped)
    {
        m_escaped = false;
    }
    else if (character == '"')
    {
        m_quoted = !m_quoted;
    }
    else
    {
        m_escaped = m_quoted && character == '\\';
    }
    m_last = character;
    SetBounds();
    return character;
}

void
JsonInputStream::SetBounds()
{
    if (m_quoted)
    {
        m_least = m_escaped ? 0xFF : 0x20;
        m_most = 0x7F;
    }
    else
    {
        m_least = 0;
        m_most = m_mends ? 'h' : 0xFF;
    }
}

JsonInputStream::Ch
JsonInputStream::PeekOther(int byte) const
{
    if (byte < 0)
    {
        return '\0';
    }
    if (m_quoted)
    {
        const bool isGood = byte >= 0x80 ? m_within > 0 || FindCharacter() > 0 : byte >= 0x20;
        return isGood ? static_cast<Ch>(byte) : '?';
    }
    if (std::isalpha(static_cast<unsigned char>(m_last)) != 0)
    {
        return byte == 'n' && m_last == 'a' ? 'N' : static_cast<Ch>(byte); // nan's last letter
    }
    return byte == 'i'                                    ? 'I'
           : byte == 'n' && m_input.PeekAhead(3) == "nan" ? 'N'
                                                          : static_cast<Ch>(byte);
}

std::size_t
JsonInputStream::FindCharacter() const
{
    // Unicode's table of well-formed byte sequences (3-7).
    const std::string_view ahead = m_input.PeekAhead(4);
    const auto at = [ahead](std::size_t i) {
        return i < ahead.size() ? static_cast<unsigned char>(ahead[i]) : 0U;
    };
    const unsigned lead = at(0);
    const std::size_t size = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
    const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    bool isGood = size > 0 && at(1) >= least && at(1) <= most;
    for (std::size_t i = 2; i < size; ++i)
    {
        isGood &= at(i) >= 0x80 && at(i) <= 0xBF;
    }
    return isGood ? size : 0;
}

} // namespace ns3::dml
