/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <istream>
#include <sstream>
#include <streambuf>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace ns3::dml;

namespace
{

/// @return what the reader does with @p text: "list/index: key=value key=value" per record
std::vector<std::string>
ReadAll(const std::string& text,
        const std::vector<std::string>& keys,
        JsonRecordReader::Truncation truncation = JsonRecordReader::Truncation::REFUSE)
{
    std::istringstream stream(text);
    TraceInput input(stream, "f");
    std::vector<std::string> lines;
    const bool complete =
        JsonRecordReader({"events", "more"}, truncation).Read(input, [&](const JsonRecord& record) {
            std::string line = record.GetList() + "/" + std::to_string(record.GetIndex()) + ":";
            for (const auto& key : keys)
            {
                line += record.Has(key) ? " " + std::string(record.GetText(key)) : " -";
            }
            lines.push_back(line);
            return true;
        });
    if (!complete)
    {
        lines.push_back("cut");
    }
    return lines;
}

/// @return the message with which the reader, or @p use of each record, refuses @p text
std::string
ErrorOf(const std::string& text, const std::function<void(const JsonRecord&)>& use = {})
{
    std::istringstream stream(text);
    TraceInput input(stream, "f");
    try
    {
        JsonRecordReader({"events"}).Read(input, [&](const JsonRecord& record) {
            if (use)
            {
                use(record);
            }
            return true;
        });
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "no error";
}

using Lines = std::vector<std::string>;

/// "[{...}, {...}, ...]" with as many records as wanted, made while it is read.
class LongList : public std::streambuf
{
  public:
    explicit LongList(uint64_t records)
        : m_left(records)
    {
    }

  protected:
    std::streamsize xsgetn(char* out, std::streamsize size) override
    {
        std::streamsize got = 0;
        while (got < size && (m_at < m_text.size() || Refill()))
        {
            const auto part = std::min<std::streamsize>(size - got, m_text.size() - m_at);
            std::memcpy(out + got, m_text.data() + m_at, part);
            got += part;
            m_at += part;
        }
        return got;
    }

  private:
    bool Refill()
    {
        if (m_ended)
        {
            return false;
        }
        m_at = 0;
        m_ended = m_left == 0;
        m_text = m_ended ? "]" : m_started ? "," : "[";
        if (!m_ended)
        {
            m_text += "\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::conv2d\",\"ts\":" +
                      std::to_string(1600000000000000 + m_left) +
                      ",\"dur\":12.345,\"args\":{\"External id\":" + std::to_string(m_left) +
                      ",\"Input Dims\":[[8,3,224,224],[64,3,11,11],[64]]}}";
            --m_left;
        }
        m_started = true;
        return true;
    }

    uint64_t m_left;       //!< records to come
    bool m_started{false}; //!< the list is open
    bool m_ended{false};   //!< the list is closed
    std::string m_text;    //!< made, but not read
    std::size_t m_at{0};   //!< next character of it
};

/// @return most memory that this process has had, in bytes
int64_t
GetPeakMemory()
{
    struct rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * int64_t{1024};
}

} // namespace

// 64 MB of text: a tree of it would take several times that.
TEST(JsonRecordReader, NeedsNoMemoryForWhatItHasRead)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what was freed";
#endif
    constexpr uint64_t RECORDS = 400000;
    LongList buffer(RECORDS);
    std::istream stream(&buffer);
    TraceInput input(stream, "f");
    uint64_t records = 0;
    int64_t early = 0;
    JsonRecordReader({}).Read(input, [&](const JsonRecord& record) {
        if (++records == 1000)
        {
            early = GetPeakMemory();
        }
        return record.GetList() == JsonRecord::HEADER || record.GetNanoseconds("dur") == 12345;
    });
    EXPECT_EQ(records, RECORDS + 1);
    EXPECT_GT(input.GetOffset(), 60000000u);
    EXPECT_LT(GetPeakMemory() - early, 4000000);
}

TEST(JsonRecordReader, FlattensObjectsAndKeepsArraysAsText)
{
    EXPECT_EQ(ReadAll(R"({"v": 1, "events": [{"a": 1.50, "args": {"b c": "x\"y", "d": {"e": true}},
                          "l": [ [1, 2.0], {"k": "v"}, null ], "z": -3e2}, {}],
                          "more": [{"a": 7}], "w": {"a": "end"}})",
                      {"a", "args.b c", "args.d.e", "l", "z", "v", "w.a"}),
              (Lines{R"(events/0: 1.50 x"y true [[1,2.0],{"k":"v"},null] -3e2 - -)",
                     "events/1: - - - - - - -",
                     "more/0: 7 - - - - - -",
                     "header/0: - - - - - 1 end"}));
}

TEST(JsonRecordReader, TakesAListThatIsTheWholeFile)
{
    EXPECT_EQ(ReadAll(R"([{"a": 1}, {"a": 2}])", {"a"}), (Lines{"/0: 1", "/1: 2", "header/0: -"}));
    EXPECT_EQ(ReadAll("[]", {"a"}), (Lines{"header/0: -"}));
    EXPECT_EQ(ReadAll("{}", {"a"}), (Lines{"header/0: -"}));
}

// A list of the same name deeper in the file is no list of records.
TEST(JsonRecordReader, KnowsListsByTheirPlace)
{
    EXPECT_EQ(ReadAll(R"({"x": {"events": [{"a": 1}]}, "other": [{"a": 2}]})",
                      {"a", "x.events", "other"}),
              (Lines{R"(header/0: - [{"a":1}] [{"a":2}])"}));
}

TEST(JsonRecordReader, TakesNaNAsKinetoWritesIt)
{
    EXPECT_EQ(ReadAll(R"([{"a": NaN, "l": [NaN]}])", {"a", "l"}),
              (Lines{"/0: NaN [NaN]", "header/0: - -"}));
}

TEST(JsonRecordReader, StopsWhenToldTo)
{
    std::istringstream stream(R"([{"a": 1}, {"a": 2}, this is no JSON)");
    TraceInput input(stream, "f");
    int records = 0;
    EXPECT_TRUE(JsonRecordReader({}).Read(input, [&](const JsonRecord&) { return ++records < 2; }));
    EXPECT_EQ(records, 2);
}

// Any cut gives either an error that names the place, or the records before it.
TEST(JsonRecordReader, SurvivesEveryCut)
{
    const std::string text = R"({"v": "x", "events": [{"a": [1]}, {"a": {"b": 2}}], "w": null})";
    for (std::size_t size = 0; size < text.size(); ++size)
    {
        const std::string cut = text.substr(0, size);
        const std::string error = ErrorOf(cut);
        EXPECT_EQ(error.rfind("f:1:", 0), 0u) << cut << ": " << error;
        EXPECT_NE(error.find(size == 0 ? "empty" : "ends too early"), std::string::npos)
            << cut << ": " << error;
        const Lines lines = ReadAll(cut, {}, JsonRecordReader::Truncation::ACCEPT);
        ASSERT_GE(lines.size(), 2u) << cut;
        EXPECT_EQ(lines.back(), "cut") << cut;
        EXPECT_EQ(lines[lines.size() - 2], "header/0:") << cut;
    }
}

TEST(JsonRecordReader, SaysWhereAFileIsWrong)
{
    EXPECT_EQ(ErrorOf("{\"events\": [\n {\"a\": 1},\n 2]}"),
              "f:3:3: /events/1: found a single value; accepted is an object");
    EXPECT_EQ(ErrorOf("[[1]]"), "f:1:3: /0: found an array; accepted is an object");
    EXPECT_EQ(ErrorOf("{\"events\": {}, \"x\": 1}"),
              "f:1:12: /events: found an object; accepted is a list");
    EXPECT_EQ(ErrorOf("{\"events\": 3}"),
              "f:1:12: /events: found a single value; accepted is a list");
    EXPECT_EQ(ErrorOf("7"), "f:1:2: /: found a single value; accepted is an object");
    EXPECT_EQ(ErrorOf("{\"a\" 1}"),
              "f:1:6: /a: is not JSON: Missing a colon after a name of object member. If the text "
              "before it has a quote that is not escaped, as in names of Python functions that "
              "PyTorch's profiler writes, record without these (with_stack=False)");
    EXPECT_EQ(ErrorOf(std::string(65, '[')), "f:1:3: /0: found an array; accepted is an object");
    EXPECT_EQ(ErrorOf("{\"a\":" + std::string(65, '[')),
              "f:1:70: /a: found more than 64 levels; accepted are fewer");
}

TEST(JsonRecordReader, RefusesWhatIsNoUtf8)
{
    EXPECT_EQ(ErrorOf("[{\"a\": \"x\xff\"}]").rfind("f:1:", 0), 0u);
    EXPECT_NE(ErrorOf("[{\"a\": \"x\xff\"}]").find("Invalid encoding"), std::string::npos);
    EXPECT_EQ(ErrorOf("\xEF\xBB\xBF[{\"a\": \"\xc3\xa4\"}]"), "no error");
}

// What Kineto's writer makes of names and numbers that it does not escape. A character of several
// bytes stays; '?' stands for each byte that is none.
TEST(JsonRecordReader, MendsWhatKinetoWritesThoughItIsNoJson)
{
    const std::string text =
        "[{\"a\": \"l\x01n\tz\\\"\x02\\u00e4\", \"l\": [inf, -inf, nan, null]},"
        " {\"a\": \"\xc3\xa4\xff\xe2\x82\xac\xe2\x82\xed\xa0\x80\"},"
        " {\"a\": inf, \"l\": true}, {\"a\": -Infinity}, {\"a\": nan}]";
    std::istringstream stream(text);
    TraceInput input(stream, "f");
    const JsonRecordReader reader({},
                                  JsonRecordReader::Truncation::REFUSE,
                                  JsonRecordReader::Faults::MEND);
    std::vector<std::string> found;
    std::vector<uint64_t> mended;
    reader.Read(input, [&](const JsonRecord& record) {
        found.push_back(std::string(record.GetText("a")) + " " + std::string(record.GetText("l")));
        mended.push_back(record.GetMendedCount());
        return true;
    });
    EXPECT_EQ(found,
              (Lines{"l?n?z\"?\xc3\xa4 [Inf,-Inf,NaN,null]",
                     "\xc3\xa4?\xe2\x82\xac????? ",
                     "Inf true",
                     "-Infinity ",
                     "NaN ",
                     " "}));
    EXPECT_EQ(mended, (std::vector<uint64_t>{3 + 1 + 1 + 2, 6, 1, 0, 2, 0}));
}

TEST(JsonRecordReader, SaysWhatMayBeWrongWithStrings)
{
    EXPECT_EQ(ErrorOf("[{\"a\": \"l\x01n\"}]"),
              "f:1:10: /0: is not JSON: found the control character 0x01 in a string");
    EXPECT_NE(ErrorOf("[{\"a\": \"cache[\"k\"].py\"}]").find("with_stack=False"),
              std::string::npos);
}

// Fields have the keys around them in theirs, so a long key may not have many.
TEST(JsonRecordReader, RefusesKeysThatWouldTakeTooMuchMemory)
{
    const std::string key(4097, 'k');
    EXPECT_NE(ErrorOf("[{\"" + key + "\": 1}]").find("found a key of more than 4096 bytes"),
              std::string::npos);
    std::string members = "\"a\": 1";
    for (int i = 0; i < 20000; ++i)
    {
        members += ", \"b\": 1";
    }
    EXPECT_NE(ErrorOf("[{\"" + key.substr(0, 4000) + "\": {" + members + "}}]")
                  .find("found more than 64 MiB of keys in a record"),
              std::string::npos);
}

TEST(JsonRecord, ReadsTimesToTheNanosecond)
{
    const auto read = [](const std::string& number) {
        std::istringstream stream("[{\"t\": " + number + "}]");
        TraceInput input(stream, "f");
        int64_t ns = -1;
        JsonRecordReader({}).Read(input, [&](const JsonRecord& record) {
            ns = record.GetNanoseconds("t");
            return false;
        });
        return ns;
    };
    EXPECT_EQ(read("0"), 0);
    EXPECT_EQ(read("1578906108771153"), 1578906108771153000);
    EXPECT_EQ(read("4458676522690.655"), 4458676522690655);
    EXPECT_EQ(read("4458676522690.6549"), 4458676522690655); // rounded
    EXPECT_EQ(read("0.5"), 500);
    EXPECT_EQ(read("-12.25"), -12250);
    EXPECT_EQ(read("1.5e3"), 1500000);
    EXPECT_EQ(read("\"42\""), 42000);
    EXPECT_EQ(read("4000000000000000"), 4000000000000000000);
}

TEST(JsonRecord, RefusesWhatIsNoTime)
{
    const auto error = [](const std::string& number) {
        return ErrorOf("[{\"t\": " + number + "}]",
                       [](const JsonRecord& record) { record.GetNanoseconds("t"); });
    };
    const std::string accepted = "; accepted is a number of microseconds, at most 4e15";
    EXPECT_EQ(error("4000000000000001"), "f:1:8: /0/t: found 4000000000000001" + accepted);
    EXPECT_EQ(error("1e300"), "f:1:8: /0/t: found 1e300" + accepted);
    EXPECT_EQ(error("99999999999999999999999"),
              "f:1:8: /0/t: found 99999999999999999999999" + accepted);
    EXPECT_EQ(error("NaN"), "f:1:8: /0/t: found NaN" + accepted);
    EXPECT_EQ(error("true"), "f:1:8: /0/t: found true" + accepted);
    EXPECT_EQ(error("\"x\""), "f:1:8: /0/t: found 'x'" + accepted);
    EXPECT_EQ(error("[1]"), "f:1:8: /0/t: found [1]" + accepted);
    EXPECT_EQ(ErrorOf("\n [{}]", [](const JsonRecord& record) { record.GetNanoseconds("t"); }),
              "f:2:3: /0/t: missing" + accepted);
}

TEST(JsonRecord, ReadsStringsAndIntegers)
{
    std::istringstream stream(R"([{"s": "x", "i": -3, "n": "17"}])");
    TraceInput input(stream, "f");
    JsonRecordReader({}).Read(input, [&](const JsonRecord& record) {
        if (record.GetList() == JsonRecord::HEADER)
        {
            return true;
        }
        EXPECT_EQ(record.GetString("s"), "x");
        EXPECT_EQ(record.GetInteger("i", -5, 5), -3);
        EXPECT_EQ(record.GetInteger("n", 0, 17), 17);
        EXPECT_THROW(record.GetInteger("n", 0, 16), InputError);
        EXPECT_THROW(record.GetInteger("s", 0, 16), InputError);
        EXPECT_THROW(record.GetString("i"), InputError);
        EXPECT_EQ(record.GetText("nothing"), "");
        EXPECT_EQ(record.ListKeys(2), "'s', 'i', ...");
        EXPECT_EQ(record.ListKeys(3), "'s', 'i', 'n'");
        return true;
    });
}
