/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-cache.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_PROFILES = 32; //!< kept at a time: studies of more are rare

} // namespace

std::shared_ptr<const Profile>
ProfileCache::Read(const std::string& path)
{
    const auto known = m_profiles.find(path);
    if (known != m_profiles.end())
    {
        return known->second;
    }
    auto profile = std::make_shared<const Profile>(ReadProfile(path));
    if (m_profiles.size() >= MOST_PROFILES)
    {
        m_profiles.clear();
    }
    m_profiles[path] = profile;
    return profile;
}

const std::string&
ProfileCache::GetChecksum(const std::string& path)
{
    auto known = m_checksums.find(path);
    if (known == m_checksums.end())
    {
        known = m_checksums.emplace(path, MakeChecksum(FormatProfile(*Read(path)))).first;
    }
    return known->second;
}

} // namespace ns3::dml
