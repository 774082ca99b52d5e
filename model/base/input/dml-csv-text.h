/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CSV_TEXT_H
#define DML_CSV_TEXT_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/// One value of a CSV row.
struct CsvCell
{
    std::string text;      //!< without quotes
    std::size_t column{0}; //!< in its line, in bytes from 1
};

/**
 * @ingroup dml-base
 * @brief Splits CSV text, as RFC 4180 has it, into rows of cells, and knows the line of each row.
 *
 * Line ends are LF or CRLF; a quoted cell ends in its line; empty lines at the end are no rows.
 */
class CsvText
{
  public:
    /// @param text of the file @param path of the file, for errors
    CsvText(std::string text, std::string path);

    /// @param accepted what the file should be @return the first row; @throws InputError if the
    /// file is empty
    std::vector<CsvCell> ReadHeader(const std::string& accepted);

    /// @param[out] cells of the next row; @return false if there is none; @throws InputError if it
    /// is longer or shorter than the first one
    bool NextRow(std::vector<CsvCell>& cells);

    /// @return line of the current row, from 1
    std::size_t GetLine() const
    {
        return m_line;
    }

    /**
     * @brief Refuse something of the current row.
     * @param column of what is refused, from 1 @param text what was found and what is accepted
     * @throws InputError as "file:line:column: text"
     */
    [[noreturn]] void Fail(std::size_t column, const std::string& text) const;

  private:
    /// @param row without its line end @param[out] cells of it
    void Split(std::string_view row, std::vector<CsvCell>& cells) const;
    /// Read a quoted cell. @param row all of it @param at its first quote @param[out] text between
    /// the quotes @return index of the comma behind it, or the size of the row
    std::size_t Unquote(std::string_view row, std::size_t at, std::string& text) const;

    std::string m_text;     //!< without empty lines at the end
    std::string m_path;     //!< for errors
    std::size_t m_at{0};    //!< start of the next row
    std::size_t m_line{0};  //!< of the current row, from 1
    std::size_t m_width{0}; //!< cells of the first row; 0 before it
};

} // namespace ns3::dml

#endif /* DML_CSV_TEXT_H */
