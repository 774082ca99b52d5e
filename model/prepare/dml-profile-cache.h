/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_CACHE_H
#define DML_PROFILE_CACHE_H

#include "ns3/dml-profile.h"

#include <map>
#include <memory>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief Profiles that have been read, for studies whose variants have the same one.
 *
 * A file that changes while the cache lives is not read again.
 */
class ProfileCache
{
  public:
    /**
     * @param path of a profile
     * @return its content
     * @throws InputError as the function ReadProfile()
     */
    std::shared_ptr<const Profile> Read(const std::string& path);

    /**
     * @param path of a profile
     * @return checksum of what it says (MakeChecksum()), the samples in a CSV beside it included
     * @throws InputError as the function ReadProfile()
     */
    const std::string& GetChecksum(const std::string& path);

  private:
    std::map<std::string, std::shared_ptr<const Profile>> m_profiles; //!< by path, only some
    std::map<std::string, std::string> m_checksums;                   //!< by path
};

} // namespace ns3::dml

#endif /* DML_PROFILE_CACHE_H */
