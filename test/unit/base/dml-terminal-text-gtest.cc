/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-terminal-text.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3::dml;

namespace
{

TEST(EscapeControls, ShowsWhatWouldMoveACursor)
{
    EXPECT_EQ(EscapeControls("a b"), "a b");
    EXPECT_EQ(EscapeControls("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(EscapeControls("a\nb\tc\rd", "\n\t"), "a\nb\tc\\rd");
    EXPECT_EQ(EscapeControls("\x1b[2J\x07\x7f"), "\\x1b[2J\\x07\\x7f");
    EXPECT_EQ(EscapeControls(std::string(1, '\0')), "\\x00");
    // C1 in UTF-8, and what turns text around: U+009B, U+202E, U+2067, and U+2028
    EXPECT_EQ(EscapeControls("\xc2\x9b"), "\\xc2\\x9b");
    EXPECT_EQ(EscapeControls("\xe2\x80\xae"), "\\xe2\\x80\\xae");
    EXPECT_EQ(EscapeControls("\xe2\x81\xa7"), "\\xe2\\x81\\xa7");
    EXPECT_EQ(EscapeControls("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");
}

TEST(EscapeControls, KeepsTextOfAllLanguages)
{
    // U+00A0, U+00E9, U+20AC, U+1F600, U+10FFFD
    for (const std::string text :
         {"\xc2\xa0", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbd"})
    {
        EXPECT_EQ(EscapeControls(text), text);
    }
}

TEST(EscapeControls, ShowsBytesThatAreNoText)
{
    EXPECT_EQ(EscapeControls("\x9b"), "\\x9b");
    EXPECT_EQ(EscapeControls("\xff"
                             "a"),
              "\\xffa");
    EXPECT_EQ(EscapeControls("\xe2\x82"), "\\xe2\\x82") << "half a character";
    EXPECT_EQ(EscapeControls("\xc0\x9b"), "\\xc0\\x9b") << "a longer form of ESC";
    EXPECT_EQ(EscapeControls("\xe0\x82\x9b"), "\\xe0\\x82\\x9b") << "a longer form of U+009B";
    EXPECT_EQ(EscapeControls("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(EscapeControls("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
    EXPECT_EQ(EscapeControls("\xef\xbf\xbf"), "\\xef\\xbf\\xbf") << "not in XML";
}

TEST(HarmlessStream, PassesOnWholeCharacters)
{
    std::ostringstream stream;
    {
        const HarmlessStream harmless(stream);
        stream << "a\xe2" << '\x82' << "\xac \x1b[2J\n\tb" << '\n';
        stream << "\xe2";
        stream.flush();
    }
    EXPECT_EQ(stream.str(), "a\xe2\x82\xac \\x1b[2J\n\tb\n\\xe2");
    stream << "\x1b";
    EXPECT_EQ(stream.str().back(), '\x1b') << "as before";
}

TEST(HarmlessStream, PassesOnItsStyles)
{
    std::ostringstream stream;
    {
        const HarmlessStream harmless(stream);
        stream << "a" << terminalstyle::DIM << "b" << terminalstyle::NORMAL
               << "\x1b[3m\x1b[2J\x1b[0m";
    }
    EXPECT_EQ(stream.str(), "a\x1b[2mb\x1b[0m\\x1b[3m\\x1b[2J\x1b[0m");
}

TEST(HarmlessStream, TellsThatTheTargetIsFull)
{
    /// Takes nothing.
    class Full : public std::streambuf
    {
    };

    Full full;
    std::ostream stream(&full);
    const HarmlessStream harmless(stream);
    stream << "text" << std::flush;
    EXPECT_FALSE(stream);
}

} // namespace
