/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-file-error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ns3::dml
{

bool
IsBadPath(int error)
{
    constexpr std::array<int, 14> BAD{ENAMETOOLONG,
                                      ELOOP,
                                      ENOTDIR,
                                      EISDIR,
                                      ENOENT,
                                      EEXIST,
                                      EACCES,
                                      EPERM,
                                      EROFS,
                                      EINVAL,
                                      ENXIO,
                                      ENODEV,
                                      ETXTBSY,
                                      ENOTEMPTY};
    return std::find(BAD.begin(), BAD.end(), error) != BAD.end();
}

void
ThrowFileError(const std::string& what, int error, const std::string& accepted)
{
    const std::string text = what + ": " + std::strerror(error);
    if (IsBadPath(error))
    {
        throw FileError(text + "; accepted: " + accepted);
    }
    throw RunError(text);
}

} // namespace ns3::dml
