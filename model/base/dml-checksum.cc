/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-checksum.h"

#include <filesystem>
#include <fstream>

namespace ns3
{
namespace dml
{

void
Checksum::Add(const char* bytes, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
    {
        m_hash = (m_hash ^ static_cast<unsigned char>(bytes[i])) * 1099511628211U;
    }
}

std::string
Checksum::GetDigits() const
{
    std::string digits(DIGITS, '0');
    uint64_t hash = m_hash;
    for (std::size_t i = DIGITS; i-- > 0; hash >>= 4)
    {
        digits[i] = "0123456789abcdef"[hash & 15];
    }
    return digits;
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

} // namespace dml
} // namespace ns3
