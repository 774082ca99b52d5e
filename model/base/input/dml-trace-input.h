/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_INPUT_H
#define DML_TRACE_INPUT_H

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief A file of any size, plain or gzipped, read once from front to back in bounded memory.
 *
 * Knows the line and column of the next byte, for messages. Whether a file is gzipped is seen from
 * its first two bytes, not from its name.
 */
class TraceInput
{
  public:
    /**
     * @param file path, which is also the file's name in messages
     * @throws InputError if it cannot be read
     */
    explicit TraceInput(const std::string& file);
    /**
     * @param input plain or gzipped bytes; must live as long as this object
     * @param file name of the file in messages
     * @param most bytes, uncompressed, that are read before the file is refused as endless
     * @throws InputError if it cannot be read
     */
    TraceInput(std::istream& input, const std::string& file, uint64_t most = MOST);
    ~TraceInput();

    /// @return the next byte, or -1 at the end; @throws InputError if the file is damaged
    int Peek()
    {
        return m_next != m_end || Fill() ? static_cast<unsigned char>(*m_next) : -1;
    }

    /// @return the next byte, now consumed, or -1 at the end; @throws InputError as Peek()
    int Take()
    {
        if (m_next == m_end && !Fill())
        {
            return -1;
        }
        const char byte = *m_next++;
        if (byte == '\n')
        {
            ++m_line;
            m_lineStart = m_next;
            m_lineOffset = 0;
        }
        return static_cast<unsigned char>(byte);
    }

    /**
     * @brief What comes next, without consuming it.
     * @param size bytes wanted, at most 65536
     * @return that many bytes, or all that are left; valid until the next call
     * @throws InputError as Peek()
     */
    std::string_view PeekAhead(std::size_t size);
    /// @param size bytes to consume, at most those that PeekAhead() has just returned
    void Skip(std::size_t size);

    /**
     * @brief Everything that is left, for formats that are small and read at once.
     * @param limit most bytes accepted
     * @return the bytes, now consumed
     * @throws InputError as Peek(), or if there are more
     */
    std::string ReadAll(uint64_t limit)
    {
        return Read(limit, true);
    }

    /**
     * @brief The same for formats of text, so that a device such as /dev/zero is refused at once.
     * @param limit most bytes accepted
     * @return the text, now consumed
     * @throws InputError as ReadAll(), or if there is a byte 0
     */
    std::string ReadText(uint64_t limit)
    {
        return Read(limit, false);
    }

    /// @return bytes consumed so far, uncompressed
    uint64_t GetOffset() const;

    /// @return line of the next byte, from 1
    uint64_t GetLine() const
    {
        return m_line;
    }

    /// @return column of the next byte in bytes, from 1
    uint64_t GetColumn() const
    {
        return m_lineOffset + (m_next - m_lineStart) + 1;
    }

    /// @return name of the file in messages
    const std::string& GetFile() const
    {
        return m_file;
    }

    /// @return "file:line:column" of the next byte
    std::string GetPlace() const;

  private:
    struct Source;

    /// Longer files are pipes and devices that do not end, or a few bytes that unpack to that many.
    static constexpr uint64_t MOST = uint64_t{32} << 30U;

    /// Open the source; sees whether it is gzipped. @param bytes of the file
    void Open(std::istream& bytes);
    /// Pass over a byte order mark at the start of the text.
    void SkipMark();
    /// @param limit most bytes @param zeros whether a byte 0 is accepted @return all that is left
    std::string Read(uint64_t limit, bool zeros);
    /// Make room in the buffer, whose bytes before the next one are not needed any more.
    void Drop();
    /// Get more bytes. @return false at the end
    bool Fill();
    /// Read from the source behind m_end. @return false at the end
    bool Append();

    std::string m_file;               //!< name in messages
    std::unique_ptr<Source> m_source; //!< where bytes come from
    const char* m_next{nullptr};      //!< next byte in the buffer
    const char* m_end{nullptr};       //!< behind the last byte in the buffer
    const char* m_lineStart{nullptr}; //!< where the line starts, or the buffer if that is later
    uint64_t m_line{1};               //!< line of the next byte
    uint64_t m_lineOffset{0};         //!< bytes of the line that the buffer no longer holds
    uint64_t m_offset{0};             //!< bytes that the buffer no longer holds
    uint64_t m_most{MOST};            //!< bytes that are read at most
};

} // namespace ns3::dml

#endif /* DML_TRACE_INPUT_H */
