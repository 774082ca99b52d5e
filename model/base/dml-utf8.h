/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_UTF8_H
#define DML_UTF8_H

namespace ns3
{
namespace dml
{

/// @param byte of text in UTF-8 @return whether it goes on with a character: no text begins there
inline bool
ContinuesCharacter(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

} // namespace dml
} // namespace ns3

#endif /* DML_UTF8_H */
