/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-trace-input.h"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3::dml;

namespace
{

std::string
Zip(const std::string& text)
{
    std::ostringstream zipped;
    boost::iostreams::filtering_ostream out;
    out.push(boost::iostreams::gzip_compressor());
    out.push(zipped);
    out << text;
    out.reset();
    return zipped.str();
}

std::string
TakeAll(TraceInput& input)
{
    std::string text;
    for (int byte = input.Take(); byte >= 0; byte = input.Take())
    {
        text += static_cast<char>(byte);
    }
    return text;
}

/// Longer than the buffer, with lines of all lengths up to 1000.
std::string
MakeLongText()
{
    std::string text;
    for (std::size_t length = 0; length < 1000; ++length)
    {
        text += std::string(length, static_cast<char>('a' + length % 26)) + "\n";
    }
    return text;
}

} // namespace

TEST(TraceInput, GivesEveryByteOfPlainAndZippedFiles)
{
    const std::string text = MakeLongText();
    for (const std::string& bytes : {text, Zip(text)})
    {
        std::istringstream stream(bytes);
        TraceInput input(stream, "x");
        EXPECT_EQ(TakeAll(input), text);
        EXPECT_EQ(input.GetOffset(), text.size());
        EXPECT_EQ(input.Peek(), -1);
        EXPECT_EQ(input.Take(), -1);
    }
}

TEST(TraceInput, CountsLinesAndColumnsAcrossItsBuffer)
{
    const std::string text = MakeLongText();
    std::istringstream stream(text);
    TraceInput input(stream, "x");
    uint64_t line = 1;
    uint64_t column = 1;
    for (const char c : text)
    {
        ASSERT_EQ(input.GetLine(), line);
        ASSERT_EQ(input.GetColumn(), column);
        ASSERT_EQ(input.Take(), c);
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n' ? 1 : 0;
    }
    EXPECT_EQ(input.GetPlace(), "x:1001:1");
}

TEST(TraceInput, LooksAheadWithoutConsuming)
{
    const std::string text = MakeLongText();
    std::istringstream stream(text);
    TraceInput input(stream, "x");
    std::string seen;
    std::size_t size = 1;
    while (true)
    {
        const std::string_view ahead = input.PeekAhead(size);
        ASSERT_EQ(ahead, text.substr(seen.size(), size)) << seen.size();
        ASSERT_EQ(input.GetOffset(), seen.size());
        if (ahead.empty())
        {
            break;
        }
        seen += ahead;
        input.Skip(ahead.size());
        size = size * 3 % 65536 + 1;
    }
    EXPECT_EQ(seen, text);
}

TEST(TraceInput, LooksAheadNoFurtherThanItPromises)
{
    std::istringstream stream(std::string(200000, 'x'));
    TraceInput input(stream, "x");
    EXPECT_EQ(input.PeekAhead(1000000).size(), 65536u);
}

TEST(TraceInput, PassesOverAByteOrderMark)
{
    for (const std::string& bytes : {std::string("\xEF\xBB\xBFtext"), Zip("\xEF\xBB\xBFtext")})
    {
        std::istringstream stream(bytes);
        TraceInput input(stream, "x");
        EXPECT_EQ(input.GetPlace(), "x:1:1");
        EXPECT_EQ(TakeAll(input), "text");
    }
}

TEST(TraceInput, ReadsAllThatIsLeft)
{
    const std::string text = MakeLongText();
    std::istringstream stream(text);
    TraceInput input(stream, "x");
    input.Take();
    EXPECT_EQ(input.ReadAll(text.size()), text.substr(1));
    EXPECT_EQ(input.GetOffset(), text.size());
    std::istringstream again(text);
    TraceInput large(again, "x");
    EXPECT_THROW(large.ReadAll(text.size() - 1), InputError);
}

TEST(TraceInput, TakesAnEmptyFileAndOneOfOneByte)
{
    for (const std::string& text : {std::string(), std::string("\x1f")})
    {
        std::istringstream stream(text);
        TraceInput input(stream, "x");
        EXPECT_EQ(TakeAll(input), text);
    }
}

// Every cut of a gzipped file is told, at the place where the text ends.
TEST(TraceInput, RefusesAGzippedFileThatIsCut)
{
    const std::string zipped = Zip("one\ntwo\n");
    for (std::size_t size = 2; size < zipped.size(); ++size)
    {
        std::istringstream stream(zipped.substr(0, size));
        std::string error;
        try
        {
            TraceInput input(stream, "cut.gz");
            TakeAll(input);
        }
        catch (const InputError& caught)
        {
            error = caught.what();
        }
        EXPECT_EQ(error.substr(0, 7), "cut.gz:") << size;
        EXPECT_NE(error.find("damaged or ends too early"), std::string::npos) << size << error;
    }
}

TEST(TraceInput, NamesAFileThatCannotBeRead)
{
    const ScratchFolder folder;
    EXPECT_EQ(folder.ErrorOf([&] { TraceInput input(folder.GetPath("none")); }),
              "none: cannot be read: No such file or directory; accepted: a file");
    folder.Write("sub/file", "");
    EXPECT_EQ(folder.ErrorOf([&] { TraceInput input(folder.GetPath("sub")); }),
              "sub: cannot be read: is a folder; accepted: a file");
}

TEST(TraceInput, StopsAtItsLimit)
{
    // 1000 lines of 0 to 999 letters: 499500 letters and 1000 line ends
    const std::string text = MakeLongText();
    ASSERT_EQ(text.size(), 500500u);
    for (const std::string& bytes : {text, Zip(text)})
    {
        std::istringstream fits(bytes);
        TraceInput input(fits, "x", text.size());
        EXPECT_EQ(TakeAll(input), text);
        std::istringstream endless(bytes);
        TraceInput large(endless, "x", text.size() - 1);
        const std::string error = ScratchFolder().ErrorOf([&] { TakeAll(large); });
        EXPECT_NE(error.find("found more than 500499 bytes"), std::string::npos) << error;
    }
}

TEST(TraceInput, ReadsTextWithoutZeros)
{
    std::istringstream stream("one\ntwo");
    TraceInput input(stream, "x");
    EXPECT_EQ(input.ReadText(7), "one\ntwo");
    std::istringstream binary(std::string("one\nt\0o", 7));
    TraceInput zero(binary, "x");
    EXPECT_EQ(ScratchFolder().ErrorOf([&] { zero.ReadText(7); }),
              "x:2:2: found a byte 0; accepted is text");
    EXPECT_EQ(ScratchFolder().ErrorOf([] { TraceInput endless("/dev/zero"); }),
              "/dev/zero: cannot be read: is a device; accepted: a file");
}
