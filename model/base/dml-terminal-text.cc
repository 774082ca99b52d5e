/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-terminal-text.h"

#include <cstdint>
#include <cstdlib>
#include <fmt/core.h>
#include <ostream>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// @return bytes of the character that starts @p text; 0 if it is none of UTF-8, or no complete one
std::size_t
GetCharacterSize(std::string_view text)
{
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t size = byte(0) < 0x80   ? 1
                             : byte(0) < 0xC2 ? 0
                             : byte(0) < 0xE0 ? 2
                             : byte(0) < 0xF0 ? 3
                             : byte(0) < 0xF5 ? 4
                                              : 0;
    if (size == 0 || text.size() < size)
    {
        return 0;
    }
    uint32_t code = size == 1 ? byte(0) : byte(0) & (0x7F >> size);
    for (std::size_t i = 1; i < size; ++i)
    {
        if ((byte(i) & 0xC0) != 0x80)
        {
            return 0;
        }
        code = code << 6 | (byte(i) & 0x3F);
    }
    const bool longer = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    // XML has no U+FFFE and U+FFFF
    return longer || surrogate || code > 0x10FFFF || code == 0xFFFE || code == 0xFFFF ? 0 : size;
}

/// @return whether the character moves a cursor, or the text behind it
bool
IsControl(std::string_view character)
{
    const auto byte = [character](std::size_t i) {
        return static_cast<unsigned char>(character[i]);
    };
    if (character.size() == 1)
    {
        return byte(0) < 0x20 || byte(0) == 0x7F;
    }
    const bool c1 = byte(0) == 0xC2 && byte(1) < 0xA0;
    // U+2028 and U+2029 end lines; U+202A to U+202E and U+2066 to U+2069 turn the text around
    const bool turns = character.size() == 3 && byte(0) == 0xE2 &&
                       ((byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) ||
                        (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9));
    return c1 || turns;
}

void
AppendEscaped(std::string& out, std::string_view bytes)
{
    for (const char c : bytes)
    {
        out += c == '\n'   ? "\\n"
               : c == '\t' ? "\\t"
               : c == '\r' ? "\\r"
                           : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
}

/// @return bytes of DIM or NORMAL, if that is what @p text has at @p at, else 0
std::size_t
GetStyleSize(const std::string& text, std::size_t at)
{
    for (const std::string_view style : {terminalstyle::DIM, terminalstyle::NORMAL})
    {
        if (text.compare(at, style.size(), style) == 0)
        {
            return style.size();
        }
    }
    return 0;
}

/// @return where the next DIM or NORMAL of @p text starts, from @p at on; @p end if there is none
std::size_t
FindStyle(const std::string& text, std::size_t at, std::size_t end)
{
    while (at < end && GetStyleSize(text, at) == 0)
    {
        ++at;
    }
    return at;
}

} // namespace

bool
IsTerminal(int descriptor)
{
    const char* kind = std::getenv("TERM");
    return isatty(descriptor) == 1 && kind && *kind && std::string_view(kind) != "dumb";
}

bool
ShowsStyles(int descriptor)
{
    const char* unwanted = std::getenv("NO_COLOR");
    return IsTerminal(descriptor) && !(unwanted && *unwanted);
}

std::string
EscapeControls(std::string_view text, std::string_view keep)
{
    std::string result;
    for (std::size_t at = 0; at < text.size();)
    {
        const std::size_t size = GetCharacterSize(text.substr(at));
        const std::string_view character = text.substr(at, size == 0 ? 1 : size);
        const bool harmless = size > 0 && !IsControl(character);
        if (harmless || (size == 1 && keep.find(character[0]) != std::string_view::npos))
        {
            result += character;
        }
        else
        {
            AppendEscaped(result, character);
        }
        at += character.size();
    }
    return result;
}

/// Gathers whole lines: a character may come in pieces.
class HarmlessStream::Filter : public std::streambuf
{
  public:
    explicit Filter(std::streambuf* target)
        : m_target(target)
    {
    }

    ~Filter() override
    {
        sync();
    }

  protected:
    int_type overflow(int_type c) override
    {
        if (!traits_type::eq_int_type(c, traits_type::eof()))
        {
            const char byte = traits_type::to_char_type(c);
            return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
        }
        return traits_type::not_eof(c);
    }

    std::streamsize xsputn(const char* text, std::streamsize size) override
    {
        m_waiting.append(text, size);
        const std::size_t end = m_waiting.rfind('\n');
        return end == std::string::npos || Pass(end + 1) ? size : 0;
    }

    int sync() override
    {
        return Pass(m_waiting.size()) && m_target->pubsync() == 0 ? 0 : -1;
    }

  private:
    /// Pass on the first @p size bytes.
    bool Pass(std::size_t size)
    {
        std::string text;
        for (std::size_t at = 0; at < size;)
        {
            const std::size_t style = FindStyle(m_waiting, at, size);
            text += EscapeControls(std::string_view(m_waiting).substr(at, style - at), "\n\t");
            const std::size_t length = style < size ? GetStyleSize(m_waiting, style) : 0;
            text.append(m_waiting, style, length);
            at = style + length;
        }
        m_waiting.erase(0, size);
        const auto length = static_cast<std::streamsize>(text.size());
        return m_target->sputn(text.data(), length) == length;
    }

    std::streambuf* m_target; //!< where it goes
    std::string m_waiting;    //!< an unfinished line
};

HarmlessStream::HarmlessStream(std::ostream& stream)
    : m_stream(stream),
      m_target(stream.rdbuf()),
      m_filter(std::make_unique<Filter>(m_target))
{
    stream.rdbuf(m_filter.get());
}

HarmlessStream::~HarmlessStream()
{
    const auto state = m_stream.rdstate();
    m_stream.rdbuf(m_target);
    m_stream.setstate(state);
}

} // namespace ns3::dml
