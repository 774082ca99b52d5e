/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-input.h"

#include "dml-input-file.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <array>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cstring>
#include <vector>

namespace ns3::dml
{

namespace
{

/// The first two bytes of a gzipped file (RFC 1952, section 2.3.1).
constexpr std::array<char, 2> GZIP{'\x1f', '\x8b'};

/// What some editors write before UTF-8 text.
constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

/// Bytes read at once.
constexpr std::size_t BLOCK = 65536;

/// @param bytes of a file @param count of them to be read again @return whether they will be, which
/// a pipe cannot do
bool
MoveBack(std::streambuf& bytes, std::streamoff count)
{
    try
    {
        return bytes.pubseekoff(-count, std::ios::cur, std::ios::in) != std::streampos(-1);
    }
    catch (const std::ios_base::failure&)
    {
        return false;
    }
}

} // namespace

/// Where the bytes come from.
struct TraceInput::Source
{
    std::unique_ptr<std::istream> file; //!< unless given by the caller
    boost::iostreams::filtering_streambuf<boost::iostreams::input> unzip; //!< if gzipped
    std::streambuf* bytes{nullptr};                                       //!< uncompressed
    bool gzipped{false};                                                  //!< whether unzip is used
    bool ended{false};                                                    //!< no more bytes
    std::vector<char> buffer;                                             //!< bytes read
};

TraceInput::TraceInput(const std::string& file)
    : m_file(file),
      m_source(std::make_unique<Source>())
{
    m_source->file = OpenInputStream(file);
    Open(*m_source->file);
}

TraceInput::TraceInput(std::istream& input, const std::string& file, uint64_t most)
    : m_file(file),
      m_source(std::make_unique<Source>()),
      m_most(most)
{
    Open(input);
}

TraceInput::~TraceInput() = default;

void
TraceInput::Open(std::istream& bytes)
{
    Source& source = *m_source;
    source.bytes = bytes.rdbuf();
    source.buffer.resize(2 * BLOCK);
    m_next = m_end = m_lineStart = source.buffer.data();
    const std::string_view head = PeekAhead(GZIP.size());
    if (head != std::string_view(GZIP.data(), GZIP.size()))
    {
        SkipMark();
        return;
    }
    // What was read ahead of the filter is given back to the file.
    const auto ahead = static_cast<std::streamoff>(m_end - m_next);
    m_next = m_end = m_lineStart = source.buffer.data();
    source.ended = false;
    bytes.clear();
    if (!MoveBack(*source.bytes, ahead))
    {
        throw InputError(m_file + ": is gzipped and cannot be read twice (a pipe?); accepted: a "
                                  "plain file, or the unpacked text");
    }
    source.gzipped = true;
    source.unzip.push(boost::iostreams::gzip_decompressor());
    source.unzip.push(bytes);
    source.bytes = &source.unzip;
    SkipMark();
}

void
TraceInput::SkipMark()
{
    if (PeekAhead(BYTE_ORDER_MARK.size()) == BYTE_ORDER_MARK)
    {
        m_next += BYTE_ORDER_MARK.size();
        m_lineStart = m_next;
    }
}

bool
TraceInput::Append()
{
    Source& source = *m_source;
    if (source.ended)
    {
        return false;
    }
    char* const begin = source.buffer.data();
    const std::size_t used = m_end - begin;
    const std::size_t room = source.buffer.size() - used;
    std::streamsize got = 0;
    try
    {
        got = source.bytes->sgetn(begin + used, static_cast<std::streamsize>(room));
    }
    catch (const boost::iostreams::gzip_error&)
    {
        throw InputError(GetPlace() + ": the gzipped file is damaged or ends too early; accepted: "
                                      "a complete one");
    }
    catch (const std::ios_base::failure&)
    {
        throw InputError(GetPlace() + ": cannot be read any further");
    }
    if (got <= 0)
    {
        source.ended = true;
        return false;
    }
    m_end += got;
    if (m_offset + (m_end - begin) > m_most)
    {
        throw InputError(GetPlace() + ": found more than " + std::to_string(m_most) +
                         " bytes; accepted are smaller files (does it end at all?)");
    }
    return true;
}

void
TraceInput::Drop()
{
    char* const begin = m_source->buffer.data();
    m_offset += m_next - begin;
    m_lineOffset += m_next - m_lineStart;
    std::memmove(begin, m_next, m_end - m_next);
    m_end = begin + (m_end - m_next);
    m_next = m_lineStart = begin;
}

bool
TraceInput::Fill()
{
    Drop();
    return Append();
}

std::string_view
TraceInput::PeekAhead(std::size_t size)
{
    size = std::min(size, BLOCK);
    if (static_cast<std::size_t>(m_end - m_next) < size)
    {
        Drop();
    }
    while (static_cast<std::size_t>(m_end - m_next) < size && Append())
    {
    }
    return {m_next, std::min<std::size_t>(size, m_end - m_next)};
}

void
TraceInput::Skip(std::size_t size)
{
    for (; size > 0 && Take() >= 0; --size)
    {
    }
}

std::string
TraceInput::Read(uint64_t limit, bool zeros)
{
    std::string text;
    for (std::string_view block = PeekAhead(BLOCK); !block.empty(); block = PeekAhead(BLOCK))
    {
        const std::size_t end = zeros ? std::string_view::npos : block.find('\0');
        block = block.substr(0, end);
        text += block;
        if (text.size() > limit)
        {
            throw InputError(m_file + ": found more than " + std::to_string(limit) +
                             " bytes; accepted are smaller files of this format");
        }
        Skip(block.size());
        if (end != std::string_view::npos)
        {
            throw InputError(GetPlace() + ": found a byte 0; accepted is text");
        }
    }
    return text;
}

uint64_t
TraceInput::GetOffset() const
{
    return m_offset + (m_next - m_source->buffer.data());
}

std::string
TraceInput::GetPlace() const
{
    return m_file + ":" + std::to_string(m_line) + ":" + std::to_string(GetColumn());
}

} // namespace ns3::dml
