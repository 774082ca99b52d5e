/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-trace-reader.h"

#include "dml-profile-reader-limits.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/dml-yaml-node.h"
#include "ns3/dml-yaml-text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ns3::dml
{

namespace
{

/// A column that a trace may have.
struct Column
{
    std::string name;           //!< in the header
    double SpeedChange::*field; //!< what it gives
    double max;                 //!< largest value; the smallest is 0
    std::string form;           //!< what is accepted
    bool required;              //!< whether it must be there
};

const std::vector<Column>&
Columns()
{
    static const std::vector<Column> COLUMNS{
        {"time", &SpeedChange::start, MAX_OP_SECONDS, SECONDS_FORM, true},
        {"speed", &SpeedChange::speed, MAX_SPEED, "a speed from 0 to 1000", true},
        {"cpu", &SpeedChange::cpu, 1, "a share from 0 to 1", false},
        {"memory", &SpeedChange::memory, 1, "a share from 0 to 1", false}};
    return COLUMNS;
}

/// @return the column of each cell of the header
std::vector<const Column*>
ReadHeader(const CsvText& csv, const std::vector<CsvCell>& header)
{
    std::vector<std::string> names;
    for (const auto& column : Columns())
    {
        names.push_back(column.name);
    }
    std::vector<const Column*> found;
    for (const auto& cell : header)
    {
        const auto name = std::find(names.begin(), names.end(), cell.text);
        if (name == names.end())
        {
            csv.Fail(cell.column,
                     "found a column " + QuoteText(cell.text, '\'') +
                         AcceptedText(Suggest(cell.text, names), JoinWords(names)));
        }
        const Column* column = &Columns()[name - names.begin()];
        if (std::find(found.begin(), found.end(), column) != found.end())
        {
            csv.Fail(cell.column,
                     "found a second column '" + column->name + "'; accepted: each column once");
        }
        found.push_back(column);
    }
    for (const auto& column : Columns())
    {
        if (column.required && std::find(found.begin(), found.end(), &column) == found.end())
        {
            csv.Fail(1,
                     "found no column '" + column.name +
                         "'; accepted: time, speed, and cpu and memory if known");
        }
    }
    return found;
}

/// Reads the rows below the header and checks them against each other.
class TraceRows
{
  public:
    /// @param csv behind its header @param columns of its cells
    TraceRows(const CsvText& csv, std::vector<const Column*> columns)
        : m_csv(csv),
          m_columns(std::move(columns))
    {
    }

    /// @param row the next one
    void Add(const std::vector<CsvCell>& row)
    {
        SpeedChange change;
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const Column& column = *m_columns[i];
            const auto value = ParseNumber(row[i].text);
            if (!value || *value < 0 || *value > column.max)
            {
                m_csv.Fail(row[i].column,
                           column.name + ": found " + QuoteText(row[i].text, '"') +
                               "; accepted: " + column.form);
            }
            change.*column.field = *value;
        }
        CheckTime(row, change.start);
        m_changes.push_back(change);
        m_speedColumn = ColumnOf(row, &SpeedChange::speed);
    }

    /// @param repeated see ReadSpeedTrace() @return the changes, after a look at the whole
    std::vector<SpeedChange> Finish(bool repeated)
    {
        if (m_changes.empty())
        {
            m_csv.Fail(1, "found no rows; accepted: one row per change of speed below the header");
        }
        const auto moves = [](const SpeedChange& change) { return change.speed > 0; };
        if (!repeated && !moves(m_changes.back()))
        {
            m_csv.Fail(m_speedColumn,
                       "speed: found 0 in the last row, so that no work would ever end; accepted: "
                       "a speed above 0 there, or a trace that is repeated");
        }
        if (std::none_of(m_changes.begin(), m_changes.end(), moves))
        {
            m_csv.Fail(m_speedColumn,
                       "speed: found 0 in all rows, so that no work would ever end; accepted: a "
                       "speed above 0 in at least one row");
        }
        return std::move(m_changes);
    }

  private:
    void CheckTime(const std::vector<CsvCell>& row, double time) const
    {
        if (m_changes.empty() && time != 0)
        {
            m_csv.Fail(ColumnOf(row, &SpeedChange::start),
                       "time: found a first time other than 0; accepted: 0");
        }
        if (!m_changes.empty() && time <= m_changes.back().start)
        {
            m_csv.Fail(ColumnOf(row, &SpeedChange::start),
                       "time: found no later time than in the row before; accepted: increasing "
                       "times");
        }
    }

    /// @return where the value of a field stands in its line
    std::size_t ColumnOf(const std::vector<CsvCell>& row, double SpeedChange::*field) const
    {
        std::size_t i = 0;
        while (m_columns[i]->field != field)
        {
            ++i;
        }
        return row[i].column;
    }

    const CsvText& m_csv;                 //!< for errors in its current row
    std::vector<const Column*> m_columns; //!< of its cells
    std::vector<SpeedChange> m_changes;   //!< so far
    std::size_t m_speedColumn{1};         //!< of the speed in the current row
};

} // namespace

std::vector<SpeedChange>
ReadSpeedTrace(const std::string& path, bool repeated)
{
    CsvText csv(ReadTextFile(path, "a trace of speeds (CSV)"), path);
    TraceRows rows(csv, ReadHeader(csv, csv.ReadHeader("a header with time and speed, then rows")));
    std::vector<CsvCell> row;
    while (csv.NextRow(row))
    {
        rows.Add(row);
    }
    return rows.Finish(repeated);
}

} // namespace ns3::dml
