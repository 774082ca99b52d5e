/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OUTPUT_FOLDER_H
#define DML_OUTPUT_FOLDER_H

#include "ns3/dml-open-file.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief A folder into which files are written, perhaps one that somebody else has made.
 *
 * It is held by its descriptor, and files are named relative to it. No link that lies in it is
 * followed, neither a symbolic nor a further hard one: what such a link leads to is not dml's. All
 * writing of files goes this way, that of libraries (pcap, NetAnim) and of gnuplot apart, which
 * write into folders that were just made or under names that were just cleared.
 */
class OutputFolder
{
  public:
    /// @param file path of a file in the folder, there or not
    /// @throws FileError if there is no such folder, RunError if the machine is at its limits
    explicit OutputFolder(const std::string& file);

    /**
     * @brief Make a new file for the path that was given, in place of a file or link of that name.
     * @param ending of its name after that of the path
     * @return it, to be written
     * @throws FileError if something else is there or the folder is not writable, else RunError
     */
    OpenFile Create(const std::string& ending = "") const;

    /// @return whether a file that has no name could be made, which leaves nothing; some file
    /// systems have none
    bool TakesNamelessFiles() const;

    /**
     * @brief Open the file that was given, which may be there already.
     * @param flags O_RDWR and others of open()
     * @param accepted what a user can do if it cannot be opened
     * @return it
     * @throws FileError if it is a link, has further hard links, or is no regular file
     */
    OpenFile Open(int flags, const std::string& accepted) const;

    /// Give a file of the folder the name of the path. @param name that it has
    /// @throws FileError, RunError with the path and the system's reason
    void Rename(const std::string& name) const;

    /// Wait until the disk has the names. @throws RunError with the path and the system's reason
    void Sync() const;

    /// @return last component of the path that was given
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @return descriptor of the folder
    int GetDescriptor() const
    {
        return m_directory.Get();
    }

  private:
    std::string m_path;   //!< of the file
    std::string m_name;   //!< its last component
    OpenFile m_directory; //!< the folder
};

/// @brief Make a folder that a user names, and those above it, unless they are there.
/// @param path of it @throws FileError if it cannot be made, RunError if the machine is at its
/// limits
void MakeOutputFolder(const std::string& path);

/**
 * @brief Make a folder inside a folder of results, unless it is there.
 * @param path of it
 * @throws FileError if it is a link, which would lead what is written elsewhere, or cannot be made
 */
void MakeInnerFolder(const std::string& path);

} // namespace ns3::dml

#endif /* DML_OUTPUT_FOLDER_H */
