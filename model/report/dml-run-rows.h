/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_ROWS_H
#define DML_RUN_ROWS_H

#include "ns3/dml-csv-text.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ns3::dml
{

/// The run that a row belongs to: variant, workers, engine, replication.
using RunKey = std::tuple<std::string, uint32_t, std::string, uint32_t>;

/// @param run any @return its four fields of a CSV file, with commas between them
std::string WriteRunKey(const RunKey& run);

/**
 * @ingroup dml-report
 * @brief Rows of a CSV file that CsvResults wrote: columns of a run, and others.
 */
class RunRows
{
  public:
    /// @param path of the file @param columns that it must have, besides those of the run
    /// @throws InputError if it cannot be read, or lacks one
    RunRows(const std::string& path, const std::vector<std::string>& columns);

    /// @return whether there is another row, which is now the current one
    bool Next()
    {
        return m_csv.NextRow(m_row);
    }

    /// @return the run of the current row
    RunKey GetRun() const;

    /// @return line of the current row
    std::size_t GetLine() const
    {
        return m_csv.GetLine();
    }

    /// @param column number in the list of the constructor @return its text in the current row
    const std::string& GetText(std::size_t column) const
    {
        return m_row[m_columns[RUN_COLUMNS + column]].text;
    }

    /// @param column likewise @return the number that it is: an integer, or finite seconds
    template <typename Number>
    Number Get(std::size_t column) const
    {
        return Read<Number>(RUN_COLUMNS + column);
    }

    /// @param column likewise @param text what is wrong with it @throws InputError
    [[noreturn]] void Fail(std::size_t column, const std::string& text) const
    {
        m_csv.Fail(m_row[m_columns[RUN_COLUMNS + column]].column, text);
    }

  private:
    static constexpr std::size_t RUN_COLUMNS = 3;

    std::size_t Find(const std::string& name) const;
    std::size_t FindNeeded(const std::string& name) const;

    /// @param column place in m_columns
    template <typename Number>
    Number Read(std::size_t column) const
    {
        const CsvCell& cell = m_row[m_columns[column]];
        const char* end = cell.text.data() + cell.text.size();
        Number number{};
        const auto [stop, error] = std::from_chars(cell.text.data(), end, number);
        if (error != std::errc() || stop != end ||
            !(number >= 0 && number <= std::numeric_limits<Number>::max()))
        {
            const char* const accepted = std::is_same_v<Number, double> ? "seconds"
                                         : std::is_same_v<Number, uint32_t>
                                             ? "an integer from 0 to 4294967295"
                                             : "an integer from 0 up";
            m_csv.Fail(cell.column, "found '" + cell.text + "'; accepted: " + accepted);
        }
        return number;
    }

    CsvText m_csv;                      //!< of the file
    std::vector<CsvCell> m_header;      //!< its first row
    std::vector<CsvCell> m_row;         //!< the current one
    std::size_t m_variant{0};           //!< column; the number of columns: there is none
    std::vector<std::size_t> m_columns; //!< of the run, then those that were asked for
};

} // namespace ns3::dml

#endif /* DML_RUN_ROWS_H */
