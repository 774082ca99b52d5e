/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-usage-trace-reader.h"

#include "dml-profile-reader.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-trace-input.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/dml-yaml-node.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

constexpr uint64_t LARGEST_TRACE = uint64_t{256} << 20U; // bytes, unpacked

/// Reads the rows and remembers what the last one said.
class UsageRows
{
  public:
    /// @param csv at its first row
    UsageRows(CsvText& csv, const UsageTraceFormat& format)
        : m_csv(csv),
          m_format(format)
    {
        m_row = m_csv.ReadHeader("rows of a machine's use");
        m_header = m_row;
        m_time = Find(format.time);
        m_cpu = Find(format.cpu);
        m_memory = format.memory.empty() ? NONE : Find(format.memory);
        m_machine = format.machine.empty() ? NONE : Find(format.machine);
    }

    std::vector<SpeedChange> Read()
    {
        if (IsColumnNumber(m_format.time))
        {
            Add();
        }
        while (m_csv.NextRow(m_row))
        {
            Add();
        }
        if (m_changes.empty())
        {
            m_csv.Fail(1,
                       m_machine == NONE
                           ? "found no rows; accepted: rows of a machine's use below the header"
                           : "found no row of " + QuoteText(m_format.only, '"') + " in column " +
                                 QuoteText(m_format.machine, '\'') +
                                 "; accepted: a machine that the file has");
        }
        return Shift();
    }

  private:
    static constexpr std::size_t NONE = SIZE_MAX;

    /// @return index of a column
    std::size_t Find(const std::string& column) const
    {
        if (IsColumnNumber(column))
        {
            const std::size_t number = std::stoul(column);
            if (number < 1 || number > m_header.size())
            {
                m_csv.Fail(1,
                           "found no column " + column + "; accepted: 1 to " +
                               std::to_string(m_header.size()));
            }
            return number - 1;
        }
        std::vector<std::string> names;
        for (const auto& cell : m_header)
        {
            names.push_back(cell.text);
        }
        const auto name = std::find(names.begin(), names.end(), column);
        if (name == names.end())
        {
            m_csv.Fail(1,
                       "found no column " + QuoteText(column, '\'') +
                           AcceptedText(Suggest(column, names), JoinWords(names)));
        }
        return name - names.begin();
    }

    /// Take the current row, if it is of the machine.
    void Add()
    {
        if (m_machine != NONE && m_row[m_machine].text != m_format.only)
        {
            return;
        }
        SpeedChange change;
        change.start = ReadTime();
        change.cpu = ReadShare(m_cpu, &SpeedChange::cpu);
        change.speed = change.cpu;
        if (m_memory != NONE)
        {
            change.memory = ReadShare(m_memory, &SpeedChange::memory);
        }
        m_changes.push_back(change);
    }

    /// @return seconds of the current row after the first one
    double ReadTime()
    {
        const CsvCell& cell = m_row[m_time];
        const auto value = ParseNumber(cell.text);
        if (!value)
        {
            m_csv.Fail(cell.column,
                       "time: found " + QuoteText(cell.text, '"') + "; accepted: a number");
        }
        m_origin = m_changes.empty() ? *value : m_origin;
        const double time = (*value - m_origin) * m_format.unit;
        if (!m_changes.empty() && !(time > m_changes.back().start))
        {
            m_csv.Fail(cell.column,
                       "time: found no later time than in the machine's row before; accepted: "
                       "increasing times of one machine");
        }
        if (!(time <= MAX_OP_SECONDS))
        {
            m_csv.Fail(cell.column,
                       "time: found " + QuoteText(cell.text, '"') +
                           ", more than 1000000 s after the first row; accepted: a shorter trace");
        }
        return time;
    }

    /// @param index of the cell @param share that it gives; as in the row before where it is empty
    /// @return what is left of what the cell says is used
    double ReadShare(std::size_t index, double SpeedChange::*share) const
    {
        const CsvCell& cell = m_row[index];
        if (cell.text.empty() && !m_changes.empty())
        {
            return m_changes.back().*share;
        }
        const auto use = ParseNumber(cell.text);
        if (!use || *use < 0 || *use > m_format.whole)
        {
            m_csv.Fail(cell.column,
                       (index == m_cpu ? "cpu: found " : "memory: found ") +
                           QuoteText(cell.text, '"') + "; accepted: a use from 0 to " +
                           fmt::format("{}", m_format.whole) +
                           (m_changes.empty() ? "" : ", or nothing where it was not measured"));
        }
        return std::max(m_format.least, 1 - *use / m_format.whole);
    }

    /// @return the changes as the run sees them, which begins `from` seconds after the first
    std::vector<SpeedChange> Shift() const
    {
        if (m_changes.back().start < m_format.from)
        {
            m_csv.Fail(1,
                       "found a trace that ends " + fmt::format("{}", m_changes.back().start) +
                           " s after its first row, before the run begins; accepted: a longer "
                           "one, or an earlier start of the run");
        }
        std::vector<SpeedChange> shifted;
        for (SpeedChange change : m_changes)
        {
            change.start -= m_format.from;
            if (change.start <= 0)
            {
                change.start = 0;
                shifted.clear();
            }
            shifted.push_back(change);
        }
        return shifted;
    }

    CsvText& m_csv;                     //!< the file
    const UsageTraceFormat& m_format;   //!< of it
    std::vector<CsvCell> m_header;      //!< the first row
    std::vector<CsvCell> m_row;         //!< the current one
    std::size_t m_time{NONE};           //!< index of the column
    std::size_t m_cpu{NONE};            //!< index of the column
    std::size_t m_memory{NONE};         //!< index of the column, if there is one
    std::size_t m_machine{NONE};        //!< index of the column, if there is one
    double m_origin{0};                 //!< time of the machine's first row, as it is written
    std::vector<SpeedChange> m_changes; //!< so far
};

} // namespace

bool
IsColumnNumber(const std::string& column)
{
    return !column.empty() && column.size() < 6 &&
           std::all_of(column.begin(), column.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<SpeedChange>
ReadUsageTrace(const std::string& path, const UsageTraceFormat& format)
{
    CsvText csv(TraceInput(path).ReadText(LARGEST_TRACE), path);
    return UsageRows(csv, format).Read();
}

} // namespace ns3::dml
