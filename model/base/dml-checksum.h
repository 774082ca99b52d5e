/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CHECKSUM_H
#define DML_CHECKSUM_H

#include "ns3/hash-fnv.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Tells bytes from other bytes: FNV-1a of 64 bits, of bytes that may come bit by bit.
 */
class Checksum
{
  public:
    static constexpr std::size_t DIGITS = 16; //!< of GetDigits()

    /// @param bytes first of them @param count number of bytes
    void Add(const char* bytes, std::size_t count);

    /// @return hexadecimal digits of all bytes so far
    std::string GetDigits() const;

  private:
    Hash::Function::Fnv1a m_function;                  //!< goes on from call to call
    uint64_t m_hash{m_function.GetHash64(nullptr, 0)}; //!< of the bytes so far
};

/// @param bytes any @return Checksum::GetDigits() of them
std::string MakeChecksum(const std::string& bytes);

/**
 * @param path of a file, which may be larger than memory
 * @return Checksum::GetDigits() of its bytes; empty if it cannot be read
 */
std::string ChecksumOfFile(const std::string& path);

} // namespace ns3::dml

#endif /* DML_CHECKSUM_H */
