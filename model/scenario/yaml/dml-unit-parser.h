/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_UNIT_PARSER_H
#define DML_UNIT_PARSER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ns3::dml
{

/// What ParseSize accepts, for error messages.
constexpr std::string_view SIZE_FORM =
    "an integer, or a number with a unit (B, KB, MB, GB, KiB, MiB, GiB)";
/// What ParseBitRate accepts, for error messages.
constexpr std::string_view RATE_FORM =
    "a rate above 0 with a unit as ns-3 writes it (bps, kbps, Mbps, Gbps, b/s, kb/s, Mb/s, Gb/s, "
    "B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s), such as 10Gbps";
/// What ParseNanoseconds accepts, for error messages.
constexpr std::string_view TIME_FORM = "a time with a unit (ns, us, ms, s, min, h), such as 10us";

/**
 * @brief Read a size: "28MB" is 28*10^6, "1MiB" 2^20, "1500" bytes; "1.5GB" is allowed because it
 * is a whole number of bytes.
 * @param text number and unit without space between them; the case of the unit matters
 * @return bytes, or nothing if @p text is no size, is negative, or exceeds 2^64-1
 */
std::optional<uint64_t> ParseSize(std::string_view text);

/**
 * @brief Read a number of packets: "65 packets", or "1 packet".
 * @param text an integer, one space and the word
 * @return the number, or nothing if @p text is none or does not fit 64 bits
 */
std::optional<uint64_t> ParsePackets(std::string_view text);

/**
 * @brief Read a rate in the units of ns3::DataRate, all of which are known.
 *
 * Stricter than ns3::DataRate, which aborts on a mistake: the unit is required and the rate must
 * be a whole number of bit/s.
 * @param text number and unit without space between them; the case of the unit matters
 * @return bit/s, at least 1, or nothing if @p text is no such rate or exceeds 2^64-1
 */
std::optional<uint64_t> ParseBitRate(std::string_view text);

/**
 * @brief Read a time with its unit; only zero needs none.
 * @param text number and unit without space between them, such as "1.5ms"; may be negative
 * @return nanoseconds, or nothing if @p text is no time, no whole number of nanoseconds, or does
 * not fit 63 bits
 */
std::optional<int64_t> ParseNanoseconds(std::string_view text);

/// @param bytes any @return the shortest text with a unit that ParseSize() reads as that
std::string FormatSize(uint64_t bytes);
/// @param rate bit/s @return the shortest text in bits that ParseBitRate() reads as that
std::string FormatBitRate(uint64_t rate);
/// @param time ns @return the shortest text that ParseNanoseconds() reads as that
std::string FormatNanoseconds(uint64_t time);

/// @return a regular expression (ECMA 262) of texts that ParseSize() may accept
std::string SizePattern();
/// @return the same for ParsePackets()
std::string PacketsPattern();
/// @return the same for ParseBitRate()
std::string RatePattern();
/// @return the same for ParseNanoseconds()
std::string TimePattern();

/**
 * @brief Read an integer in decimal digits.
 * @param text digits, with a sign if any; no spaces, no other bases
 * @return the integer, or nothing if @p text is none or does not fit 64 bits
 */
std::optional<int64_t> ParseInteger(std::string_view text);

/**
 * @brief Read a finite number as C writes it, such as "8.0e-9", whatever the locale.
 * @param text the number without spaces
 * @return the number, or nothing if @p text is none, not finite or out of the range of double
 */
std::optional<double> ParseNumber(std::string_view text);

} // namespace ns3::dml

#endif /* DML_UNIT_PARSER_H */
