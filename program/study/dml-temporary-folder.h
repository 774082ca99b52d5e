/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TEMPORARY_FOLDER_H
#define DML_TEMPORARY_FOLDER_H

#include "ns3/dml-emergency-cleanup.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief A new folder in TMPDIR, which is removed with all that is in it, however this process
 * ends, SIGKILL apart.
 */
class TemporaryFolder
{
  public:
    /// @throws RunError if there can be none
    TemporaryFolder();

    /// Removes it.
    ~TemporaryFolder();

    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// @return its path
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    void Remove() noexcept;

    std::string m_path;         //!< of the folder
    EmergencyCleanup m_cleanup; //!< instead of the destructor
};

} // namespace ns3::dml

#endif /* DML_TEMPORARY_FOLDER_H */
