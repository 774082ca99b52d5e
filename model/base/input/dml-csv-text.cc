/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-csv-text.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace ns3::dml
{

CsvText::CsvText(std::string text, std::string path)
    : m_text(std::move(text)),
      m_path(std::move(path))
{
    while (!m_text.empty() && (m_text.back() == '\n' || m_text.back() == '\r'))
    {
        m_text.pop_back();
    }
}

std::vector<CsvCell>
CsvText::ReadHeader(const std::string& accepted)
{
    std::vector<CsvCell> header;
    if (!NextRow(header))
    {
        Fail(1, "found an empty file; accepted: " + accepted);
    }
    return header;
}

bool
CsvText::NextRow(std::vector<CsvCell>& cells)
{
    if (m_at >= m_text.size())
    {
        return false;
    }
    ++m_line;
    std::size_t end = m_text.find('\n', m_at);
    end = end == std::string::npos ? m_text.size() : end;
    std::string_view row = std::string_view(m_text).substr(m_at, end - m_at);
    m_at = end + 1;
    if (!row.empty() && row.back() == '\r')
    {
        row.remove_suffix(1);
    }
    Split(row, cells);
    m_width = m_width == 0 ? cells.size() : m_width;
    if (cells.size() != m_width)
    {
        Fail(1,
             "found a row of " + std::to_string(cells.size()) + "; accepted: a row of " +
                 std::to_string(m_width) + ", as the header");
    }
    return true;
}

void
CsvText::Fail(std::size_t column, const std::string& text) const
{
    const std::size_t line = std::max<std::size_t>(1, m_line);
    throw InputError(fmt::format("{}:{}:{}: {}", m_path, line, column, text));
}

void
CsvText::Split(std::string_view row, std::vector<CsvCell>& cells) const
{
    cells.clear();
    std::size_t at = 0;
    while (true)
    {
        const std::size_t start = at;
        std::string text;
        if (at < row.size() && row[at] == '"')
        {
            at = Unquote(row, at, text);
        }
        else
        {
            at = std::min(row.find(',', at), row.size());
            text = row.substr(start, at - start);
        }
        cells.push_back({std::move(text), start + 1});
        if (at >= row.size())
        {
            return;
        }
        ++at; // the comma
    }
}

std::size_t
CsvText::Unquote(std::string_view row, std::size_t at, std::string& text) const
{
    const std::size_t start = at++;
    while (at < row.size())
    {
        if (row[at] != '"')
        {
            text += row[at++];
        }
        else if (at + 1 < row.size() && row[at + 1] == '"')
        {
            text += '"';
            at += 2;
        }
        else if (at + 1 == row.size() || row[at + 1] == ',')
        {
            return at + 1;
        }
        else
        {
            Fail(at + 1, "found a quote inside a quoted cell; accepted: it doubled");
        }
    }
    Fail(start + 1,
         "found a quoted cell without its closing quote; accepted: it in the same "
         "line");
}

} // namespace ns3::dml
