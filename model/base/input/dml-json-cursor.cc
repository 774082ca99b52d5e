/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-json-cursor.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cstdlib>
#include <ios>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace ns3::dml
{

/// A parsed file. The text is kept because nlohmann::json does not know where a value stood.
struct JsonCursor::Document
{
    std::string file;    //!< name in messages
    std::string text;    //!< as read
    nlohmann::json root; //!< parsed
};

namespace
{

/// @return "file:line:column", both from 1, the column in bytes
std::string
Position(const std::string& file, const std::string& text, std::size_t offset)
{
    offset = std::min(offset, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + offset, '\n');
    const auto lineStart = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
    const auto column = lineStart == std::string::npos ? offset + 1 : offset - lineStart;
    return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

/// Walks over text that is known to be valid JSON.
class Scanner
{
  public:
    /// @param text valid JSON
    explicit Scanner(const std::string& text)
        : m_text(text)
    {
        SkipSpace();
    }

    /// @return offset of the value that comes next
    std::size_t GetOffset() const
    {
        return m_at;
    }

    /// Go from an array or object to the value of one of its members, which must exist.
    void Enter(const std::string& step)
    {
        const bool object = m_text[m_at] == '{';
        Advance();
        for (std::size_t index = 0;; ++index)
        {
            bool found = !object && index == std::strtoull(step.c_str(), nullptr, 10);
            if (object)
            {
                const std::size_t start = m_at;
                SkipValue();
                const auto key = m_text.substr(start, m_at - start);
                found = nlohmann::json::parse(key).get<std::string>() == step;
                SkipSpace();
                Advance(); // the colon
            }
            if (found)
            {
                return;
            }
            SkipValue();
            SkipSpace();
            Advance(); // the comma
        }
    }

  private:
    void SkipSpace()
    {
        m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size());
    }

    /// Over one character and the space after it.
    void Advance()
    {
        ++m_at;
        SkipSpace();
    }

    /// Over a string, number, word, array or object, to the character after it.
    void SkipValue()
    {
        std::size_t depth = 0;
        do
        {
            const char c = m_text[m_at];
            if (c == '"')
            {
                for (++m_at; m_text[m_at] != '"'; ++m_at)
                {
                    m_at += m_text[m_at] == '\\' ? 1 : 0;
                }
                ++m_at;
            }
            else if (c == '[' || c == '{')
            {
                ++depth;
                ++m_at;
            }
            else if (c == ']' || c == '}')
            {
                --depth;
                ++m_at;
            }
            else
            {
                const char* const ends = depth > 0 ? "\"[]{}" : ",]} \t\r\n";
                m_at = std::min(m_text.find_first_of(ends, m_at), m_text.size());
            }
        } while (depth > 0);
    }

    const std::string& m_text; //!< the file
    std::size_t m_at{0};       //!< next character
};

/// @return what nlohmann::json says, without what comes up to and including @p prefix
std::string
PlainReason(const nlohmann::json::exception& error, std::string_view prefix)
{
    constexpr std::size_t LONGEST = 200; // it may quote a token of any length
    std::string reason = error.what();
    const auto at = reason.find(prefix);
    reason.erase(0, at == std::string::npos ? 0 : at + prefix.size());
    return reason.size() > LONGEST ? reason.substr(0, LONGEST) + "..." : reason;
}

} // namespace

std::size_t
FindDeepJson(std::string_view json)
{
    std::size_t levels = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < json.size(); ++at)
    {
        const char c = json[at];
        if (quoted && c == '\\')
        {
            ++at;
        }
        else if (c == '"')
        {
            quoted = !quoted;
        }
        else if (!quoted && (c == '[' || c == '{') && ++levels > MAX_JSON_LEVELS)
        {
            return at;
        }
        else if (!quoted && (c == ']' || c == '}') && levels > 0)
        {
            --levels;
        }
    }
    return std::string_view::npos;
}

JsonCursor::JsonCursor(std::shared_ptr<const Document> document,
                       const nlohmann::json* value,
                       std::vector<std::string> path)
    : m_document(std::move(document)),
      m_value(value),
      m_path(std::move(path))
{
}

JsonCursor
JsonCursor::Parse(std::istream& input, const std::string& file)
{
    auto document = std::make_shared<Document>();
    document->file = file;
    try
    {
        document->text.assign(std::istreambuf_iterator<char>(input), {});
    }
    catch (const std::ios_base::failure&)
    {
        throw InputError(file + ": cannot be read");
    }
    const std::string& text = document->text;
    if (const std::size_t deep = FindDeepJson(text); deep != std::string::npos)
    {
        throw InputError(Position(file, text, deep) + ": found more than " +
                         std::to_string(MAX_JSON_LEVELS) + " levels; accepted are fewer");
    }
    try
    {
        document->root = nlohmann::json::parse(text);
    }
    catch (const nlohmann::json::parse_error& error)
    {
        // byte counts from 1 and points at the last character read
        const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
        throw InputError(Position(file, text, offset) +
                         ": not valid JSON: " + PlainReason(error, ": ") +
                         (offset >= text.size() ? "; is the file complete?" : ""));
    }
    catch (const nlohmann::json::exception& error)
    {
        // such as a number beyond the range of double, which the message quotes
        const std::string reason = PlainReason(error, "] ");
        const auto first = reason.find('\'');
        const auto last = reason.rfind('\'');
        const auto offset =
            first < last ? text.find(reason.substr(first + 1, last - first - 1)) : 0;
        throw InputError(Position(file, text, offset) + ": not valid JSON: " + reason);
    }
    const nlohmann::json* root = &document->root;
    return JsonCursor(std::move(document), root, {});
}

bool
JsonCursor::Has(const std::string& key) const
{
    return m_value->is_object() && m_value->contains(key);
}

JsonCursor
JsonCursor::Get(const std::string& key) const
{
    if (!m_value->is_object())
    {
        FailType("an object with the key '" + key + "'");
    }
    const auto member = m_value->find(key);
    if (member == m_value->end())
    {
        Fail("the key '" + key + "' is missing");
    }
    auto path = m_path;
    path.push_back(key);
    return JsonCursor(m_document, &*member, std::move(path));
}

std::vector<JsonCursor>
JsonCursor::GetItems() const
{
    const auto& list = Checked(m_value->is_array(), "a list");
    std::vector<JsonCursor> items;
    items.reserve(list.size());
    for (const auto& item : list)
    {
        auto path = m_path;
        path.push_back(std::to_string(items.size()));
        items.push_back(JsonCursor(m_document, &item, std::move(path)));
    }
    return items;
}

std::vector<std::pair<std::string, JsonCursor>>
JsonCursor::GetMembers() const
{
    std::vector<std::pair<std::string, JsonCursor>> members;
    for (const auto& member : Checked(m_value->is_object(), "an object").items())
    {
        members.emplace_back(member.key(), Get(member.key()));
    }
    return members;
}

bool
JsonCursor::IsNull() const
{
    return m_value->is_null();
}

std::map<std::string, std::string>
JsonCursor::GetLeaves() const
{
    std::map<std::string, std::string> leaves;
    for (const auto& [key, member] : GetMembers())
    {
        if (!member.m_value->is_object() || member.m_value->empty())
        {
            leaves[key] = member.m_value->is_string() ? member.GetString() : member.m_value->dump();
            continue;
        }
        for (const auto& [path, text] : member.GetLeaves())
        {
            leaves[key + "." + path] = text;
        }
    }
    return leaves;
}

std::string
JsonCursor::GetString() const
{
    return Checked(m_value->is_string(), "a string").get<std::string>();
}

std::string
JsonCursor::GetText() const
{
    if (m_value->is_string())
    {
        return m_value->get<std::string>();
    }
    return Checked(m_value->is_number(), "a string or a number").dump();
}

uint64_t
JsonCursor::GetUnsigned(uint64_t min, uint64_t max) const
{
    if (!m_value->is_number_unsigned() || m_value->get<uint64_t>() < min ||
        m_value->get<uint64_t>() > max)
    {
        FailType("a whole number from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return m_value->get<uint64_t>();
}

double
JsonCursor::GetNumber() const
{
    return Checked(m_value->is_number(), "a number").get<double>();
}

void
JsonCursor::Fail(const std::string& what) const
{
    std::string path;
    for (const auto& step : m_path)
    {
        path += "/" + step;
    }
    throw InputError(Position(m_document->file, m_document->text, Locate()) + ": " +
                     (path.empty() ? "/" : path) + ": " + what);
}

const nlohmann::json&
JsonCursor::Checked(bool fits, std::string_view accepted) const
{
    if (!fits)
    {
        FailType(accepted);
    }
    return *m_value;
}

void
JsonCursor::FailType(std::string_view accepted) const
{
    constexpr std::size_t LONGEST = 60;
    std::string found = m_value->is_object() ? "an object" : "a list";
    if (m_value->is_primitive()) // dump() recurses, and nesting has no limit
    {
        found = m_value->dump();
        found = found.size() > LONGEST ? found.substr(0, LONGEST) + "..." : found;
    }
    Fail("found " + found + "; accepted is " + std::string(accepted));
}

std::size_t
JsonCursor::Locate() const
{
    Scanner scanner(m_document->text);
    for (const auto& step : m_path)
    {
        scanner.Enter(step);
    }
    return scanner.GetOffset();
}

} // namespace ns3::dml
