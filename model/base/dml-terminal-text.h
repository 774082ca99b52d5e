/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TERMINAL_TEXT_H
#define DML_TERMINAL_TEXT_H

#include <iosfwd>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace ns3::dml
{

/// What a terminal takes for styles, and HarmlessStream passes on.
namespace terminalstyle
{
inline constexpr std::string_view DIM = "\033[2m";    //!< write in grey
inline constexpr std::string_view NORMAL = "\033[0m"; //!< as before
} // namespace terminalstyle

/// @param descriptor of a file @return whether it is a terminal that knows how to move its cursor
bool IsTerminal(int descriptor);

/// @param descriptor of a file @return whether it is a terminal that shows styles, and its user
/// wants them (NO_COLOR, see no-color.org)
bool ShowsStyles(int descriptor);

/**
 * @ingroup dml-base
 * @brief Make text from anywhere harmless for a terminal, a table or a picture.
 * @param text any bytes
 * @param keep control characters that stay, such as line ends
 * @return the text in UTF-8, with "\n", "\t", "\r", "\x1b" and so on for control characters (C1 as
 *         their bytes) and for bytes that are no UTF-8
 */
std::string EscapeControls(std::string_view text, std::string_view keep = "");

/**
 * @ingroup dml-base
 * @brief While it lives, what is written to a stream goes through EscapeControls(), line ends, tabs
 * and the two styles apart: names from files cannot move a terminal's cursor, or do worse.
 */
class HarmlessStream
{
  public:
    /// @param stream such as std::cout
    explicit HarmlessStream(std::ostream& stream);
    ~HarmlessStream();

    HarmlessStream(const HarmlessStream&) = delete;
    HarmlessStream& operator=(const HarmlessStream&) = delete;

  private:
    class Filter;

    std::ostream& m_stream;           //!< stream that is filtered
    std::streambuf* m_target;         //!< its own buffer
    std::unique_ptr<Filter> m_filter; //!< in its place
};

} // namespace ns3::dml

#endif /* DML_TERMINAL_TEXT_H */
