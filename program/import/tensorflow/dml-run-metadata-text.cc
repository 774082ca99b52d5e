/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-metadata-node.h"
#include "dml-tf-left-out.h"
#include "dml-tf-names.h"
#include "dml-tf-step-readers.h"
#include "dml-trace-proto-stream.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-limits.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <optional>
#include <string>

namespace ns3::dml
{

namespace
{

using google::protobuf::io::Tokenizer;

/// Deepest nesting of messages in a node.
constexpr int MAX_DEPTH = 100;

/// Bytes at the start of a file that tell its type.
constexpr std::size_t HEAD = 4096;

/// Keeps the first error that the protobuf library reports.
class FirstError : public google::protobuf::io::ErrorCollector
{
  public:
    /// @param line from 0; @param column from 0
    void AddError(int line,
                  google::protobuf::io::ColumnNumber column,
                  const std::string& text) override
    {
        if (!m_text)
        {
            m_line = line;
            m_column = column;
            m_text = text;
        }
    }

    void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override
    {
    }

    /// @param file the file; @param above lines above what was parsed
    /// @throws InputError if there was an error
    void Rethrow(const std::string& file, int above) const
    {
        if (m_text)
        {
            throw InputError(file + ":" + std::to_string(above + m_line + 1) + ":" +
                             std::to_string(m_column + 1) + ": " + *m_text +
                             "; accepted: a RunMetadata of TensorFlow in text form");
        }
    }

  private:
    int m_line{0};                     //!< of the error
    int m_column{0};                   //!< of the error
    std::optional<std::string> m_text; //!< the error
};

/// Walks the messages around NodeExecStats.
class TextReader
{
  public:
    explicit TextReader(TraceInput& input)
        : m_input(input),
          m_source(input),
          m_stream(&m_source, TraceProtoStream::BLOCK),
          m_tokenizer(&m_stream, &m_errors)
    {
        m_tokenizer.set_comment_style(Tokenizer::SH_COMMENT_STYLE);
        m_tokenizer.set_require_space_after_number(false);
        m_tokenizer.set_allow_f_after_float(true);
        Advance();
    }

    TfStep Read()
    {
        ReadFields("", [this](const std::string& field, const std::string& close) {
            return field == "step_stats" &&
                   ReadMessage(close, [this](const auto& f, const auto& c) {
                       return f == "dev_stats" && ReadDevice(c);
                   });
        });
        return std::move(m_step);
    }

  private:
    void Advance()
    {
        m_tokenizer.Next();
        m_source.Rethrow();
        m_errors.Rethrow(m_input.GetFile(), 0);
    }

    [[noreturn]] void Fail(const std::string& accepted) const
    {
        const Tokenizer::Token& token = const_cast<Tokenizer&>(m_tokenizer).current();
        throw InputError(GetPlace() + ": found " +
                         (token.type == Tokenizer::TYPE_END
                              ? "the end of the file"
                              : "'" + token.text.substr(0, 60) + "'") +
                         "; accepted: " + accepted);
    }

    std::string GetPlace() const
    {
        const Tokenizer::Token& token = const_cast<Tokenizer&>(m_tokenizer).current();
        return m_input.GetFile() + ":" + std::to_string(token.line + 1) + ":" +
               std::to_string(token.column + 1);
    }

    bool Is(const std::string& text)
    {
        // The end of the file is a token without text.
        return m_tokenizer.current().text == text &&
               (m_tokenizer.current().type == Tokenizer::TYPE_END) == text.empty();
    }

    bool TryTake(const std::string& text)
    {
        const bool is = Is(text);
        if (is)
        {
            Advance();
        }
        return is;
    }

    /// Take "{" or "<". @return what closes it, or empty if there is neither
    std::string TryOpen()
    {
        return TryTake("{") ? "}" : TryTake("<") ? ">" : "";
    }

    /**
     * Read fields until @p close, which stays. @p onField gets the name of a field whose message
     * has been opened and what closes it; it returns false for a message to be skipped.
     */
    template <typename OnField>
    void ReadFields(const std::string& close, const OnField& onField)
    {
        while (!Is(close))
        {
            const std::string field = ReadName(close);
            TryTake(":");
            if (TryTake("["))
            {
                while (!TryTake("]"))
                {
                    ReadValue(field, onField);
                    if (!TryTake(",") && !Is("]"))
                    {
                        Fail("',' or ']'");
                    }
                }
            }
            else
            {
                ReadValue(field, onField);
            }
            if (!TryTake(";"))
            {
                TryTake(",");
            }
        }
    }

    std::string ReadName(const std::string& close)
    {
        const bool isExtension = TryTake("[");
        const std::string name = m_tokenizer.current().text;
        if (m_tokenizer.current().type != Tokenizer::TYPE_IDENTIFIER)
        {
            Fail("the name of a field" + (close.empty() ? close : " or '" + close + "'"));
        }
        Advance();
        while (isExtension && !TryTake("]"))
        {
            if (Is(""))
            {
                Fail("']'");
            }
            Advance();
        }
        return name;
    }

    template <typename OnField>
    void ReadValue(const std::string& field, const OnField& onField)
    {
        const std::string close = TryOpen();
        if (!close.empty())
        {
            if (!onField(field, close))
            {
                ReadBlock(close, nullptr);
            }
            if (!TryTake(close))
            {
                Fail("'" + close + "'");
            }
            return;
        }
        ReadScalar(field);
    }

    void ReadScalar(const std::string& field)
    {
        TryTake("-");
        const Tokenizer::TokenType type = m_tokenizer.current().type;
        if (type == Tokenizer::TYPE_SYMBOL || type == Tokenizer::TYPE_END)
        {
            Fail("a value of the field '" + field + "'");
        }
        std::string text;
        do
        {
            if (type == Tokenizer::TYPE_STRING)
            {
                Tokenizer::ParseStringAppend(m_tokenizer.current().text, &text);
            }
            Advance();
        } while (type == Tokenizer::TYPE_STRING &&
                 m_tokenizer.current().type == Tokenizer::TYPE_STRING);
        if (field == "device")
        {
            m_device = text;
        }
    }

    /**
     * Read the rest of a message up to what closes it, which stays.
     * @param close what closes it
     * @param text if given, gets the text, all tokens in the columns that they have in the file
     */
    void ReadBlock(const std::string& close, std::string* text)
    {
        std::string open = close;
        int line = m_tokenizer.current().line;
        int column = 0;
        while (open.size() > 1 || !Is(close))
        {
            const Tokenizer::Token& token = m_tokenizer.current();
            if (token.type == Tokenizer::TYPE_END)
            {
                Fail("'" + open.substr(open.size() - 1) + "'");
            }
            if (Is("{") || Is("<"))
            {
                open += Is("{") ? '}' : '>';
            }
            else if (token.text == open.substr(open.size() - 1))
            {
                open.pop_back();
            }
            else if (Is("}") || Is(">"))
            {
                Fail("'" + open.substr(open.size() - 1) + "'");
            }
            if (text != nullptr)
            {
                if (token.line > line)
                {
                    text->append(token.line - line, '\n');
                    line = token.line;
                    column = 0;
                }
                text->append(std::max(0, token.column - column), ' ');
                *text += token.text;
                column = token.end_column;
                if (text->size() > importlimit::RECORD_BYTES)
                {
                    Fail("a node's record below 64 MiB");
                }
            }
            Advance();
        }
    }

    template <typename OnField>
    bool ReadMessage(const std::string& close, const OnField& onField)
    {
        ReadFields(close, onField);
        return true;
    }

    bool ReadDevice(const std::string& close)
    {
        const std::string place = GetPlace();
        const TfStep::Mark mark = m_step.GetMark();
        m_device.clear();
        ReadFields(close, [this](const std::string& field, const std::string& c) {
            return field == "node_stats" && ReadNode(c);
        });
        try
        {
            CheckRunMetadataText(m_device, place + ": /step_stats/dev_stats/device");
            if (m_device.empty())
            {
                throw InputError(place + ": /step_stats/dev_stats: found no device; accepted: the "
                                         "name of one");
            }
            m_step.SetDevice(mark, m_device);
        }
        catch (const InputError& error)
        {
            LeaveOutTfRecords(m_step, mark, error.what());
        }
        return true;
    }

    bool ReadNode(const std::string& close)
    {
        const std::string place = GetPlace();
        const int above = m_tokenizer.current().line;
        m_text.clear();
        ReadBlock(close, &m_text);

        google::protobuf::io::ArrayInputStream text(m_text.data(), static_cast<int>(m_text.size()));
        FirstError errors;
        google::protobuf::TextFormat::Parser parser;
        parser.RecordErrorsTo(&errors);
        parser.AllowUnknownField(true);
        parser.SetRecursionLimit(MAX_DEPTH);
        const bool isGpuTrace = IsTfGpuTrace(ParseTfDevice(m_device).local);
        try
        {
            const bool parsed = parser.Parse(&text, &m_node);
            errors.Rethrow(m_input.GetFile(), above);
            if (!parsed)
            {
                throw InputError(place + ": found a broken NodeExecStats; accepted: a RunMetadata "
                                         "of TensorFlow in text form");
            }
        }
        catch (const InputError& error)
        {
            LeaveOutRunMetadataNode(m_node, isGpuTrace, error.what(), m_step);
            return true;
        }
        AddRunMetadataNode(m_node,
                           isGpuTrace,
                           place + ": /step_stats/dev_stats/node_stats",
                           m_step);
        return true;
    }

    TraceInput& m_input;                                      //!< the file
    TraceProtoStream m_source;                                //!< its bytes
    google::protobuf::io::CopyingInputStreamAdaptor m_stream; //!< likewise
    FirstError m_errors;                                      //!< of the tokenizer
    Tokenizer m_tokenizer;                                    //!< its tokens
    tensorflow::NodeExecStats m_node;                         //!< reused from node to node
    std::string m_text;                                       //!< of the node
    std::string m_device;                                     //!< name of the device being read
    TfStep m_step;                                            //!< under construction
};

} // namespace

bool
IsRunMetadataText(TraceInput& input)
{
    static constexpr const char* SPACES = " \t\n\v\f\r";
    static constexpr const char* NAME =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    const std::string_view head = input.PeekAhead(HEAD);
    std::size_t i = 0;
    const auto skip = [&](const char* characters) {
        i = std::min(head.size(), head.find_first_not_of(characters, i));
    };
    skip(SPACES);
    while (i < head.size() && head[i] == '#')
    {
        i = std::min(head.size(), head.find('\n', i));
        skip(SPACES);
    }
    const std::size_t start = i;
    skip(NAME);
    // A binary file may start with a newline (tag 1), one letter (a length) and another newline.
    const bool hasName = i > start + 1;
    skip(SPACES);
    return hasName && i < head.size() && (head[i] == '{' || head[i] == '<' || head[i] == ':');
}

TfStep
ReadRunMetadataText(TraceInput& input)
{
    return TextReader(input).Read();
}

} // namespace ns3::dml
