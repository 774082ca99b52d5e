/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-json-record-reader.h"

#include "dml-json-input-stream.h"
#include "dml-trace-input.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <fmt/core.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace ns3::dml
{

namespace
{

/// Deepest nesting of a file.
constexpr std::size_t MAX_DEPTH = 64;

/// Longest key, with those around it, in bytes.
constexpr std::size_t MAX_KEY = 4096;

/// Longest record, in bytes.
constexpr uint64_t MAX_RECORD = JsonInputStream::MAX_RECORD;

/// @param code what RapidJSON says @param next byte that it has not taken @return what is wrong
std::string
DescribeError(rapidjson::ParseErrorCode code, int next)
{
    const std::string said = rapidjson::GetParseError_En(code);
    switch (code)
    {
    case rapidjson::kParseErrorStringEscapeInvalid:
        // It says so of control characters, too.
        return next >= 0 && next < 0x20
                   ? fmt::format("found the control character {:#04x} in a string", next)
                   : said;
    case rapidjson::kParseErrorObjectMissColon:
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
        return said + " If the text before it has a quote that is not escaped, as in names of "
                      "Python functions that PyTorch's profiler writes, record without these "
                      "(with_stack=False)";
    default:
        return said;
    }
}

/// Numbers stay as written (no digit is lost); Kineto is known to write NaN.
constexpr unsigned FLAGS = rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseNanAndInfFlag |
                           rapidjson::kParseValidateEncodingFlag;

} // namespace

/// Makes records of RapidJSON's events.
class JsonRecordHandler
{
  public:
    /**
     * @param input where the text comes from
     * @param stream the same for RapidJSON
     * @param lists names of the lists
     * @param onRecord gets the records
     */
    JsonRecordHandler(const TraceInput& input,
                      JsonInputStream& stream,
                      const std::vector<std::string>& lists,
                      const JsonRecordReader::OnRecord& onRecord)
        : m_input(input),
          m_stream(stream),
          m_lists(lists),
          m_onRecord(onRecord),
          m_writer(m_buffer)
    {
        m_header.m_list = JsonRecord::HEADER;
        for (JsonRecord* record : {&m_header, &m_element})
        {
            record->m_file = &input.GetFile();
            record->m_line = 1;
            record->m_column = 1;
        }
    }

    /// @return the members of the outermost object that are no lists
    const JsonRecord& GetHeader() const
    {
        return m_header;
    }

    /// @return true if the callback wants no more
    bool IsStopped() const
    {
        return m_stopped;
    }

    /// @return where in the file, as "/traceEvents/17"
    std::string GetPath() const
    {
        if (!m_inList)
        {
            return "/" + m_path;
        }
        return "/" + m_element.m_list + (m_element.m_list.empty() ? "" : "/") +
               std::to_string(m_element.m_index);
    }

    // RapidJSON's handler concept.
    bool Null()
    {
        return AddWord("null");
    }

    bool Bool(bool value)
    {
        return AddWord(value ? "true" : "false");
    }

    bool RawNumber(const char* text, rapidjson::SizeType size, bool /* copy */)
    {
        if (m_arrayDepth > 0)
        {
            m_writer.RawValue(text, size, rapidjson::kNumberType);
            return true;
        }
        AddField({text, size}, JsonType::NUMBER, size);
        return true;
    }

    bool String(const char* text, rapidjson::SizeType size, bool /* copy */)
    {
        if (m_arrayDepth > 0)
        {
            m_writer.String(text, size);
            return true;
        }
        AddField({text, size}, JsonType::STRING, size + 2);
        return true;
    }

    bool Key(const char* text, rapidjson::SizeType size, bool /* copy */)
    {
        if (m_arrayDepth > 0)
        {
            m_writer.Key(text, size);
            return true;
        }
        m_path.resize(m_prefixes.back());
        m_path.append(text, size);
        if (m_path.size() > MAX_KEY)
        {
            throw InputError(m_input.GetPlace() + ": " + GetPath().substr(0, 80) +
                             "...: found a key of more than " + std::to_string(MAX_KEY) +
                             " bytes; accepted are shorter ones");
        }
        return true;
    }

    bool StartObject()
    {
        CheckDepth();
        if (m_arrayDepth > 0)
        {
            ++m_arrayDepth;
            m_writer.StartObject();
            return true;
        }
        if (m_inList && m_prefixes.size() == m_listDepth)
        {
            m_stream.StartRecord();
            m_element.m_size = 0;
            m_mended = m_stream.GetMendedCount();
            m_stored = 0;
            m_element.m_line = m_input.GetLine();
            m_element.m_column = m_input.GetColumn() - 1;
            m_path.clear();
        }
        else if (!m_prefixes.empty())
        {
            CheckNoList("an object", 1);
            m_path += '.';
        }
        m_prefixes.push_back(m_path.size());
        return true;
    }

    bool EndObject(rapidjson::SizeType /* members */)
    {
        if (m_arrayDepth > 0)
        {
            --m_arrayDepth;
            return m_writer.EndObject();
        }
        m_prefixes.pop_back();
        m_path.resize(m_prefixes.empty() ? 0 : m_prefixes.back());
        if (m_inList && m_prefixes.size() == m_listDepth)
        {
            m_element.m_mended = m_stream.GetMendedCount() - m_mended;
            m_stopped = !m_onRecord(m_element);
            ++m_element.m_index;
        }
        return !m_stopped;
    }

    bool StartArray()
    {
        CheckDepth();
        if (m_arrayDepth == 0 && !m_inList && (m_prefixes.empty() || IsAtList()))
        {
            m_inList = true;
            m_listDepth = m_prefixes.size();
            m_element.m_list = m_path;
            m_element.m_index = 0;
            return true;
        }
        if (m_arrayDepth == 0)
        {
            CheckInObject("an array");
            m_buffer.Clear();
            m_writer.Reset(m_buffer);
            m_arrayLine = m_input.GetLine();
            m_arrayColumn = m_input.GetColumn() - 1;
        }
        ++m_arrayDepth;
        return m_writer.StartArray();
    }

    bool EndArray(rapidjson::SizeType /* elements */)
    {
        if (m_arrayDepth == 0)
        {
            m_inList = false;
            m_stream.StartRecord();
            return true;
        }
        m_writer.EndArray();
        if (--m_arrayDepth == 0)
        {
            JsonRecord::Field& field = NextField();
            field.text.assign(m_buffer.GetString(), m_buffer.GetSize());
            field.type = JsonType::ARRAY;
            field.line = m_arrayLine;
            field.column = m_arrayColumn;
        }
        return true;
    }

    // Never called, as numbers are kept as text.
    bool Int(int value);
    bool Uint(unsigned value);
    bool Int64(int64_t value);
    bool Uint64(uint64_t value);

    bool Double(double value)
    {
        // The words NaN and Infinity.
        return AddWord(value != value ? "NaN" : "Infinity");
    }

  private:
    bool AddWord(std::string_view word)
    {
        if (m_arrayDepth > 0)
        {
            m_writer.RawValue(word.data(), word.size(), rapidjson::kNullType);
            return true;
        }
        AddField(word, JsonType::WORD, word.size());
        return true;
    }

    /// @param text content; @param type of it; @param width bytes that it took in the file
    void AddField(std::string_view text, JsonType type, std::size_t width)
    {
        CheckInObject("a single value");
        CheckNoList("a single value", width);
        JsonRecord::Field& field = NextField();
        field.text.assign(text);
        field.type = type;
        field.line = m_input.GetLine();
        const uint64_t column = m_input.GetColumn();
        field.column = column > width ? column - width : 1;
    }

    /// @return a field of the record under construction, with its key
    JsonRecord::Field& NextField()
    {
        JsonRecord& record = m_inList ? m_element : m_header;
        m_stored += m_path.size();
        if (m_stored > MAX_RECORD)
        {
            throw InputError(m_input.GetPlace() + ": " + GetPath() +
                             ": found more than 64 MiB of keys in a record; accepted are fewer");
        }
        if (record.m_size == record.m_fields.size())
        {
            record.m_fields.emplace_back();
        }
        JsonRecord::Field& field = record.m_fields[record.m_size++];
        field.key.assign(m_path);
        return field;
    }

    /// @return true if the value that comes next is a list of records, or should be one
    bool IsAtList() const
    {
        return !m_inList && m_prefixes.size() == 1 &&
               std::find(m_lists.begin(), m_lists.end(), m_path) != m_lists.end();
    }

    /**
     * @param found what is there
     * @param width bytes of it that were taken
     * @throws InputError if it should be a list of records
     */
    void CheckNoList(const char* found, std::size_t width) const
    {
        if (IsAtList())
        {
            const uint64_t column = m_input.GetColumn();
            throw InputError(m_input.GetFile() + ":" + std::to_string(m_input.GetLine()) + ":" +
                             std::to_string(column > width ? column - width : 1) + ": /" + m_path +
                             ": found " + found + "; accepted is a list");
        }
    }

    /// @param found what is there; @throws InputError if this is not within an object
    void CheckInObject(const char* found) const
    {
        if (m_prefixes.size() <= (m_inList ? m_listDepth : 0))
        {
            throw InputError(m_input.GetPlace() + ": " + GetPath() + ": found " + found +
                             "; accepted is an object");
        }
    }

    /// @throws InputError if the file nests too deeply to go on
    void CheckDepth() const
    {
        if (m_prefixes.size() + m_arrayDepth >= MAX_DEPTH)
        {
            throw InputError(m_input.GetPlace() + ": " + GetPath() + ": found more than " +
                             std::to_string(MAX_DEPTH) + " levels; accepted are fewer");
        }
    }

    const TraceInput& m_input;                           //!< for places
    JsonInputStream& m_stream;                           //!< counts a record's bytes
    const std::vector<std::string>& m_lists;             //!< names of the lists
    const JsonRecordReader::OnRecord& m_onRecord;        //!< gets the records
    JsonRecord m_header;                                 //!< members that are no lists
    JsonRecord m_element;                                //!< record under construction
    std::string m_path;                                  //!< of the next value, in its record
    std::vector<std::size_t> m_prefixes;                 //!< lengths of m_path by open object
    bool m_inList{false};                                //!< between [ and ] of a list
    std::size_t m_listDepth{0};                          //!< open objects around that list
    std::size_t m_arrayDepth{0};                         //!< open values within a field's array
    uint64_t m_arrayLine{0};                             //!< where that array starts
    uint64_t m_arrayColumn{0};                           //!< where that array starts
    uint64_t m_mended{0};                                //!< characters before the record
    uint64_t m_stored{0};                                //!< bytes of keys since a record began
    bool m_stopped{false};                               //!< the callback wants no more
    rapidjson::StringBuffer m_buffer;                    //!< text of that array
    rapidjson::Writer<rapidjson::StringBuffer> m_writer; //!< writes it
};

JsonRecordReader::JsonRecordReader(std::vector<std::string> lists,
                                   Truncation truncation,
                                   Faults faults)
    : m_lists(std::move(lists)),
      m_truncation(truncation),
      m_faults(faults)
{
}

bool
JsonRecordReader::Read(TraceInput& input, const OnRecord& onRecord) const
{
    JsonInputStream stream(input, m_faults == Faults::MEND);
    JsonRecordHandler handler(input, stream, m_lists, onRecord);
    rapidjson::Reader reader;
    const rapidjson::ParseResult result = reader.Parse<FLAGS>(stream, handler);
    if (handler.IsStopped())
    {
        return true;
    }
    const bool truncated = result.IsError() && input.Peek() < 0;
    if (result.IsError() && !(truncated && m_truncation == Truncation::ACCEPT))
    {
        const std::string what =
            input.GetOffset() == 0 && truncated ? "the file is empty; accepted is JSON"
            : truncated ? "the file ends too early; accepted is complete JSON"
                        : "is not JSON: " + DescribeError(result.Code(), input.Peek());
        throw InputError(input.GetPlace() + ": " + handler.GetPath() + ": " + what);
    }
    onRecord(handler.GetHeader());
    return !truncated;
}

} // namespace ns3::dml
