/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-checksum.h"

#include <filesystem>
#include <fmt/core.h>
#include <fstream>

namespace ns3::dml
{

void
Checksum::Add(const char* bytes, std::size_t count)
{
    m_hash = m_function.GetHash64(bytes, count);
}

std::string
Checksum::GetDigits() const
{
    return fmt::format("{:0{}x}", m_hash, DIGITS);
}

std::string
MakeChecksum(const std::string& bytes)
{
    Checksum checksum;
    checksum.Add(bytes.data(), bytes.size());
    return checksum.GetDigits();
}

std::string
ChecksumOfFile(const std::string& path)
{
    std::error_code error;
    std::ifstream file;
    if (std::filesystem::is_regular_file(path, error)) // others may have no end
    {
        file.open(path, std::ios::binary);
    }
    if (!file.is_open())
    {
        return "";
    }
    Checksum checksum;
    char block[65536];
    while (file.read(block, sizeof(block)) || file.gcount() > 0)
    {
        checksum.Add(block, file.gcount());
    }
    return checksum.GetDigits();
}

} // namespace ns3::dml
