/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FILE_ERROR_H
#define DML_FILE_ERROR_H

#include "dml-error.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief A file or folder that cannot be used, whatever is in it: a user can mend its path or its
 * permissions, yet no scenario is at fault.
 */
class FileError : public InputError
{
  public:
    using InputError::InputError;
};

/**
 * @param error an errno value
 * @return whether the user gave a path that cannot be used, rather than the machine being at its
 * limits (open files, memory, space on the disk) or a device failing
 */
bool IsBadPath(int error);

/**
 * @brief Say that the system refuses a file.
 * @param what path and what could not be done with it, such as "a.csv: cannot be read"
 * @param error an errno value
 * @param accepted what the user can do if the path is at fault
 * @throws FileError "WHAT: REASON; accepted: ACCEPTED" if IsBadPath(), else RunError "WHAT: REASON"
 */
[[noreturn]] void ThrowFileError(const std::string& what, int error, const std::string& accepted);

} // namespace ns3::dml

#endif /* DML_FILE_ERROR_H */
