/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OPEN_FILE_H
#define DML_OPEN_FILE_H

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Closes a file of the kernel when it is no longer wanted; errno stays as it was.
 */
class OpenFile
{
  public:
    OpenFile() = default;

    /// @param file descriptor; below 0: none
    explicit OpenFile(int file)
        : m_file(file)
    {
    }

    ~OpenFile()
    {
        if (m_file >= 0)
        {
            const int error = errno;
            close(m_file);
            errno = error;
        }
    }

    OpenFile(OpenFile&& other) noexcept
        : m_file(std::exchange(other.m_file, -1))
    {
    }

    OpenFile& operator=(OpenFile&& other) noexcept
    {
        std::swap(m_file, other.m_file);
        return *this;
    }

    /// @return descriptor; below 0: none
    int Get() const
    {
        return m_file;
    }

    /// @return descriptor, which the caller closes from now on
    int Release()
    {
        return std::exchange(m_file, -1);
    }

  private:
    int m_file{-1}; //!< descriptor
};

} // namespace ns3::dml

#endif /* DML_OPEN_FILE_H */
