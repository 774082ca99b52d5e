/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-checksum.h"

#include "dml-file-error.h"

#include "ns3/dml-input-file.h"

#include <fmt/core.h>
#include <istream>
#include <memory>

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
    std::unique_ptr<std::istream> file;
    try
    {
        file = OpenInputStream(path);
    }
    catch (const FileError&)
    {
        return "";
    }
    Checksum checksum;
    char block[65536];
    while (file->read(block, sizeof(block)) || file->gcount() > 0)
    {
        checksum.Add(block, file->gcount());
    }
    if (file->bad())
    {
        throw RunError(path + ": cannot be read to its end");
    }
    return checksum.GetDigits();
}

} // namespace ns3::dml
