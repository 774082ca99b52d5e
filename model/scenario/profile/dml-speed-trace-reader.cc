/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-trace-reader.h"

#include "dml-profile-reader.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/dml-yaml-node.h"
#include "ns3/dml-yaml-text.h"

#include <algorithm>
#include <cstddef>

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

const std::vector<Column> COLUMNS{
    {"time", &SpeedChange::start, MAX_OP_SECONDS, SECONDS_FORM, true},
    {"speed", &SpeedChange::speed, MAX_SPEED, "a speed from 0 to 1000", true},
    {"cpu", &SpeedChange::cpu, 1, "a share from 0 to 1", false},
    {"memory", &SpeedChange::memory, 1, "a share from 0 to 1", false}};

/// @return the column of each cell of the header
std::vector<const Column*>
ReadHeader(const CsvText& csv, const std::vector<CsvCell>& header)
{
    const auto names = NamesOf(COLUMNS);
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
        const Column* column = &COLUMNS[name - names.begin()];
        if (std::find(found.begin(), found.end(), column) != found.end())
        {
            csv.Fail(cell.column,
                     "found a second column '" + column->name + "'; accepted: each column once");
        }
        found.push_back(column);
    }
    for (const auto& column : COLUMNS)
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

/// @return what a row says
SpeedChange
ReadRow(const CsvText& csv,
        const std::vector<const Column*>& columns,
        const std::vector<CsvCell>& row)
{
    SpeedChange change;
    for (std::size_t i = 0; i < row.size(); ++i)
    {
        const Column& column = *columns[i];
        const auto value = ParseNumber(row[i].text);
        if (!value || *value < 0 || *value > column.max)
        {
            csv.Fail(row[i].column,
                     column.name + ": found " + QuoteText(row[i].text, '"') +
                         "; accepted: " + column.form);
        }
        change.*column.field = *value;
    }
    return change;
}

/// @param refuse an error about a field of the last row; @throws InputError if nothing would move
template <typename Refuse>
void
CheckMoves(const std::vector<SpeedChange>& changes, bool repeated, const Refuse& refuse)
{
    const auto moves = [](const SpeedChange& change) { return change.speed > 0; };
    if (!repeated && !moves(changes.back()))
    {
        refuse(&SpeedChange::speed,
               "speed: found 0 in the last row, so that no work would ever end; accepted: a speed "
               "above 0 there, or a trace that is repeated");
    }
    if (std::none_of(changes.begin(), changes.end(), moves))
    {
        refuse(&SpeedChange::speed,
               "speed: found 0 in all rows, so that no work would ever end; accepted: a speed "
               "above 0 in at least one row");
    }
}

} // namespace

std::vector<SpeedChange>
ReadSpeedTrace(const std::string& path, bool repeated)
{
    CsvText csv(ReadTextFile(path, "a trace of speeds (CSV)"), path);
    const auto columns = ReadHeader(csv, csv.ReadHeader("a header with time and speed, then rows"));
    std::vector<CsvCell> row;
    const auto refuse = [&](double SpeedChange::*field, const std::string& text) {
        const auto column =
            std::find_if(columns.begin(), columns.end(), [field](const auto* known) {
                return known->field == field;
            });
        csv.Fail(row[column - columns.begin()].column, text);
    };
    std::vector<SpeedChange> changes;
    while (csv.NextRow(row))
    {
        const SpeedChange change = ReadRow(csv, columns, row);
        if (changes.empty() && change.start != 0)
        {
            refuse(&SpeedChange::start, "time: found a first time other than 0; accepted: 0");
        }
        if (!changes.empty() && change.start <= changes.back().start)
        {
            refuse(&SpeedChange::start,
                   "time: found no later time than in the row before; accepted: increasing times");
        }
        changes.push_back(change);
    }
    if (changes.empty())
    {
        csv.Fail(1, "found no rows; accepted: one row per change of speed below the header");
    }
    CheckMoves(changes, repeated, refuse);
    return changes;
}

} // namespace ns3::dml
