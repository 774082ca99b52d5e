/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESULT_FILE_H
#define DML_RESULT_FILE_H

#include "ns3/dml-open-file.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ns3::dml
{

class DraftFile;

/**
 * @ingroup dml-report
 * @brief A text file that is written in whole rows, with a large buffer.
 *
 * Rows are built in place: append to GetBuffer(), then call Commit(). Whole rows reach the file
 * when the buffer is large or a second of wall time has passed since the last write, so a file
 * that an interrupted run leaves behind ends with a complete row.
 *
 * Not to be shared by processes: Flush() before a fork, and write in one of them only.
 */
class ResultFile
{
  public:
    /**
     * @brief Create the file, in place of one or of a link that has its name.
     * @param path of the file; its folder must exist
     * @throws FileError with the path and the system's reason, RunError if the machine is at its
     * limits
     */
    explicit ResultFile(const std::string& path);

    /**
     * @brief Go on with a file that an earlier process wrote.
     * @param path of the file
     * @param size bytes of it that stay, whole rows; what follows them is cut off
     * @param head its first bytes
     * @throws FileError if it is a link, or not that file; RunError if the machine is at its limits
     */
    ResultFile(const std::string& path, uint64_t size, std::string_view head);

    /// Write the complete rows that are left, ignoring errors (call Close() to see them).
    ~ResultFile();

    ResultFile(const ResultFile&) = delete;
    ResultFile& operator=(const ResultFile&) = delete;

    /// @return where to append the next row, its line end included
    std::string& GetBuffer()
    {
        return m_buffer;
    }

    /**
     * @brief The row in the buffer is complete.
     * @throws RunError if it was time to write and that failed
     */
    void Commit();

    /// Write all that is in the buffer now. @throws RunError with the path and the system's reason
    void Flush();

    /// Write all that is in the buffer, and wait until the disk has it. @throws RunError as Flush()
    void Sync();

    /// @return bytes of the file, without rows that Flush() would write
    uint64_t GetSize() const;

    /**
     * @brief Append the whole content of another file, as it is.
     * @param path of the other file
     * @throws RunError if one cannot be read or the other not be written
     */
    void AppendFile(const std::string& path);

    /// Write all that is in the buffer, and close. @throws RunError with the path and the system's
    /// reason
    void Close();

    /// @return path of the file
    const std::string& GetPath() const
    {
        return m_path;
    }

    /**
     * @brief Write a small file at once: readers see the old content or the new one, no mixture.
     * @param path of the file
     * @param content all of it
     * @param durable true: wait until the disk has it, so that a power cut does not undo it
     * @throws FileError if it cannot be created, RunError if it cannot be written
     */
    static void Replace(const std::string& path, std::string_view content, bool durable = false);

    /**
     * @brief The same for a file that is too large to be made as a whole.
     * @param path of the file
     * @param write appends it to GetBuffer(), and calls Commit() after each part
     * @param durable as above
     * @throws FileError if it cannot be created, RunError if it cannot be written
     */
    static void Replace(const std::string& path,
                        const std::function<void(ResultFile&)>& write,
                        bool durable = false);

    /**
     * @brief As Replace(), for a file that is looked at before it takes the place of another.
     * @param path of the file
     * @param content all of it
     * @param ending of its name until then: one that no file of a user has
     * @param check gets the path with that ending, and throws if the file is not to be kept
     * @throws FileError if it cannot be created, RunError if it cannot be written, and what
     * `check` throws
     */
    static void ReplaceChecked(const std::string& path,
                               std::string_view content,
                               const std::string& ending,
                               const std::function<void(const std::string&)>& check);

    /**
     * @brief Wait until the disk has a file, or the names in a folder.
     * @param path of the file or folder
     * @throws RunError with the path and the system's reason
     */
    static void SyncPath(const std::string& path);

  private:
    /// @param path for messages @param file that is open
    ResultFile(const std::string& path, OpenFile file);

    /// Write a draft and close it. @param path for messages @param draft the file
    /// @param write as for Replace() @param durable likewise @throws RunError if that fails
    static void WriteDraft(const std::string& path,
                           DraftFile& draft,
                           const std::function<void(ResultFile&)>& write,
                           bool durable);

    /// As AppendFile(). @param path of the other file @throws FileError if it cannot be opened
    void AppendInput(const std::string& path);
    /// Append a large file without looking at it. @param path of it
    /// @return false if that is not possible or not worth it, and nothing was done
    /// @throws RunError with the path and the system's reason
    bool CopyInSystem(const std::string& path);

    std::string m_path;                                //!< for messages
    OpenFile m_file;                                   //!< none when closed
    std::string m_buffer;                              //!< rows not yet written
    std::size_t m_complete{0};                         //!< bytes of `m_buffer` that are whole rows
    std::chrono::steady_clock::time_point m_lastWrite; //!< when rows were last written
};

/// Append an unsigned number. @param out text; @param value the number
void AppendNumber(std::string& out, uint64_t value);

/**
 * @brief Append a number with a fixed count of decimals.
 * @param out text
 * @param value the number; nothing is appended if it is not finite
 * @param decimals digits after the point
 */
void AppendFixed(std::string& out, double value, int decimals);

} // namespace ns3::dml

#endif /* DML_RESULT_FILE_H */
