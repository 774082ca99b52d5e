/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-reader-samples.h"

#include "dml-profile-reader-limits.h"
#include "dml-unit-parser.h"
#include "dml-yaml-node.h"
#include "dml-yaml-suggestion.h"
#include "dml-yaml-text.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

namespace ns3
{
namespace dml
{

namespace
{

/// One value of a CSV row.
struct Cell
{
    std::string text;      //!< without quotes
    std::size_t column{0}; //!< in its line, in bytes from 1
};

/**
 * Splits CSV text into rows of cells and knows the line of each row. Line ends are LF or CRLF;
 * empty lines at the end are no rows.
 */
class CsvText
{
  public:
    CsvText(std::string text, std::string path)
        : m_text(std::move(text)),
          m_path(std::move(path))
    {
        while (!m_text.empty() && (m_text.back() == '\n' || m_text.back() == '\r'))
        {
            m_text.pop_back();
        }
    }

    /// @param[out] cells of the next row; @return false if there is none
    bool NextRow(std::vector<Cell>& cells)
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
        return true;
    }

    [[noreturn]] void Fail(std::size_t column, const std::string& text) const
    {
        throw InputError(m_path + ":" + std::to_string(std::max<std::size_t>(1, m_line)) + ":" +
                         std::to_string(column) + ": " + text);
    }

  private:
    void Split(std::string_view row, std::vector<Cell>& cells) const
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

    /// Read a quoted cell; @return index of the comma behind it, or the size of the row
    std::size_t Unquote(std::string_view row, std::size_t at, std::string& text) const
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

    std::string m_text;    //!< without empty lines at the end
    std::string m_path;    //!< for errors
    std::size_t m_at{0};   //!< start of the next row
    std::size_t m_line{0}; //!< of the current row, from 1
};

/// Every column is one that is expected, once, and all are there.
void
CheckHeader(const CsvText& csv,
            const std::vector<Cell>& header,
            const std::vector<std::string>& expected,
            const std::vector<std::string>& others)
{
    const std::set<std::string> wanted(expected.begin(), expected.end());
    std::set<std::string> seen;
    for (const auto& cell : header)
    {
        const std::string name = QuoteText(cell.text, '\'');
        if (!seen.insert(cell.text).second)
        {
            csv.Fail(cell.column,
                     "found a second column " + name + "; accepted: one column per op");
        }
        if (wanted.count(cell.text) > 0)
        {
            continue;
        }
        if (std::find(others.begin(), others.end(), cell.text) != others.end())
        {
            csv.Fail(cell.column,
                     "found a column for op " + name +
                         ", which is a transfer or has seconds or samples in the profile; "
                         "accepted: columns of the other ops");
        }
        const std::string meant = Suggest(cell.text, expected);
        csv.Fail(cell.column,
                 "found a column " + name +
                     AcceptedText(meant, "names of the profile's ops that have no duration there"));
    }
    for (const auto& name : expected)
    {
        if (seen.count(name) == 0)
        {
            csv.Fail(1,
                     "found no column for op " + QuoteText(name, '\'') +
                         "; accepted: a column for every op without seconds or samples in the "
                         "profile");
        }
    }
}

} // namespace

std::map<std::string, std::vector<double>>
ReadSampleFile(const std::string& path,
               const std::vector<std::string>& expected,
               const std::vector<std::string>& others)
{
    CsvText csv(ReadTextFile(path, "a file of samples (CSV)"), path);
    std::vector<Cell> header;
    if (!csv.NextRow(header))
    {
        csv.Fail(1, "found an empty file; accepted: a header of op names, then rows of seconds");
    }
    CheckHeader(csv, header, expected, others);
    std::vector<std::vector<double>> columns(header.size());
    std::vector<Cell> row;
    while (csv.NextRow(row))
    {
        if (row.size() != header.size())
        {
            csv.Fail(1,
                     "found a row of " + std::to_string(row.size()) + "; accepted: a row of " +
                         std::to_string(header.size()) + ", as the header");
        }
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const auto seconds = ParseNumber(row[i].text);
            if (!seconds || *seconds < 0 || *seconds > MAX_OP_SECONDS)
            {
                csv.Fail(row[i].column,
                         "op " + QuoteText(header[i].text, '\'') + ": found " +
                             QuoteText(row[i].text, '"') + "; accepted: " + SECONDS_FORM);
            }
            columns[i].push_back(*seconds);
        }
    }
    if (columns.front().empty())
    {
        csv.Fail(1, "found no rows; accepted: one row per measured step below the header");
    }
    std::map<std::string, std::vector<double>> samples;
    for (std::size_t i = 0; i < header.size(); ++i)
    {
        samples.emplace(header[i].text, std::move(columns[i]));
    }
    return samples;
}

} // namespace dml
} // namespace ns3
