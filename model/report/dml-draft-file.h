/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DRAFT_FILE_H
#define DML_DRAFT_FILE_H

#include "dml-output-folder.h"

#include "ns3/dml-emergency-cleanup.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief A new file that gets its name when it is complete, and is removed if it does not get that
 * far, however this process ends, SIGKILL apart.
 */
class DraftFile
{
  public:
    /**
     * @param folder with the path that the file is to get; outlives this
     * @param ending of the file's name after that of the path, until Publish()
     * @throws FileError, RunError as OutputFolder::Create()
     */
    DraftFile(const OutputFolder& folder, const std::string& ending);

    /// Removes the file unless it has got its name.
    ~DraftFile();

    DraftFile(const DraftFile&) = delete;
    DraftFile& operator=(const DraftFile&) = delete;

    /// @return the file, to be written; none after the first call
    OpenFile Take();

    /// Give the file the name of the path, in place of what has it.
    /// @throws FileError, RunError with the path and the system's reason
    void Publish();

  private:
    void Remove() noexcept;

    const OutputFolder& m_folder; //!< where it is
    std::string m_name;           //!< until it has that of the path; empty: there is no draft
    OpenFile m_file;              //!< until it is taken
    EmergencyCleanup m_cleanup;   //!< instead of the destructor
};

} // namespace ns3::dml

#endif /* DML_DRAFT_FILE_H */
