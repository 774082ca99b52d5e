/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESULT_FOLDER_H
#define DML_RESULT_FOLDER_H

#include "ns3/dml-open-file.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief The folder of a study's results, locked while this object lives.
 *
 * The lock is on an empty file ".lock" in the folder, which stays: a lock on the folder itself
 * would not be seen by other machines that share the file system. It is locked until the object is
 * gone.
 */
class ResultFolder
{
  public:
    /// Who else may use the folder.
    enum class Lock
    {
        EXCLUSIVE, //!< nobody
        SHARED,    //!< those who lock it in the same way
    };

    /**
     * @brief Make the folder if it does not exist, and lock it.
     * @param path of the folder
     * @param lock who else may use it; on file systems without locks, and in folders that cannot be
     *        written, SHARED makes none
     * @throws InputError if it cannot be written, or if another process has locked it
     */
    explicit ResultFolder(const std::string& path, Lock lock = Lock::EXCLUSIVE);

  private:
    OpenFile m_lock; //!< file that is locked, or none
};

/**
 * @brief A folder's name made from any text, another one for every text.
 * @param text such as a scenario's name
 * @return the text, if it consists of 1 to 100 letters, digits, '.', '_' and '-' with no dot or
 *         hyphen in front; else what it has of these, '-' for all else, '+' and a checksum
 */
std::string MakeFolderName(const std::string& text);

/// @param folder any, "" for the current one @return whether a study was written there, or is being
bool HoldsStudy(const std::string& folder);

/// What a study keeps while it is unfinished, in the folder of its results.
constexpr const char* UNFINISHED = "/unfinished";

/// @param folder of results; empty: the current one @return whether not all runs of its study are
/// done
bool IsUnfinished(const std::string& folder);

/// @param folder that may be one of results @return name of a file in it that is called as a table
/// or summary of a study; empty if there is none
std::string FindResult(const std::string& folder);

/**
 * @brief Remove what a study wrote, and nothing else: tables, plots (that PlotWriter drew),
 * captures, timelines.
 * @param folder of the results, which need not exist
 */
void RemoveResults(const std::string& folder);

} // namespace ns3::dml

#endif /* DML_RESULT_FOLDER_H */
