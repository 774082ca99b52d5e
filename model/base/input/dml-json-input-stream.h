/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JSON_INPUT_STREAM_H
#define DML_JSON_INPUT_STREAM_H

#include "dml-trace-input.h"

#include <cstddef>
#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief A TraceInput as RapidJSON's input stream concept, which can mend what some writers write
 * though it is no JSON.
 *
 * Mended are control characters and bytes that are no UTF-8 in strings, which become '?', and the
 * words `inf` and `nan`, which become those that RapidJSON reads. A quote that is not escaped
 * cannot be told from the end of its string.
 */
class JsonInputStream
{
  public:
    using Ch = char; //!< as the concept calls it

    /// Longest record, in bytes.
    static constexpr uint64_t MAX_RECORD = uint64_t{64} << 20U;

    /// @param input where the text comes from @param mends whether to mend it
    JsonInputStream(TraceInput& input, bool mends)
        : m_input(input),
          m_mends(mends)
    {
        SetBounds();
    }

    /// A record starts, which may be as long as any.
    void StartRecord()
    {
        m_taken = 0;
    }

    /// @return how many characters have been mended so far
    uint64_t GetMendedCount() const
    {
        return m_mended;
    }

    /// @return the next character, 0 at the end
    Ch Peek() const
    {
        const int byte = m_input.Peek();
        return byte >= m_least && byte <= m_most ? static_cast<Ch>(byte) : PeekOther(byte);
    }

    /// @return the next character, now consumed, 0 at the end
    /// @throws InputError if the record is longer than MAX_RECORD
    Ch Take()
    {
        if (++m_taken > MAX_RECORD)
        {
            RefuseLength();
        }
        const int byte = m_input.Peek();
        if (m_mends && (byte < m_least || byte > m_most || byte == '"' || byte == '\\'))
        {
            return TakeOther();
        }
        m_input.Take();
        m_last = static_cast<Ch>(byte < 0 ? 0 : byte);
        return m_last;
    }

    /// @return characters consumed
    std::size_t Tell() const
    {
        return m_input.GetOffset();
    }

    // The concept wants these; they are called only when parsing in place.
    Ch* PutBegin();
    void Put(Ch character);
    void Flush();
    std::size_t PutEnd(Ch* begin);

  private:
    /// @throws InputError as the record is too long
    [[noreturn]] void RefuseLength() const;
    /// @param byte the next one, beyond the bounds @return what RapidJSON gets instead, which may
    /// be the same
    Ch PeekOther(int byte) const;
    /// @return the next character, now consumed, which starts or ends a string or may be mended
    Ch TakeOther();
    /// Set the bounds for the next character.
    void SetBounds();
    /// @return bytes of the character of UTF-8 that comes next, 0 if none does
    std::size_t FindCharacter() const;

    TraceInput& m_input;    //!< where the text comes from
    bool m_mends;           //!< whether to mend it
    bool m_quoted{false};   //!< the next character is in a string
    bool m_escaped{false};  //!< behind a backslash there
    std::size_t m_within{}; //!< bytes that are left of a character of several bytes
    Ch m_last{'\0'};        //!< character before the next one, as RapidJSON got it
    uint64_t m_mended{0};   //!< characters mended
    uint64_t m_taken{0};    //!< bytes of the current record
    int m_least{0};         //!< least byte that RapidJSON gets as it is, for sure
    int m_most{0xFF};       //!< largest one
};

} // namespace ns3::dml

#endif /* DML_JSON_INPUT_STREAM_H */
