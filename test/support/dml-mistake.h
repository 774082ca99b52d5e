/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MISTAKE_H
#define DML_MISTAKE_H

#include <ostream>
#include <string>
#include <vector>

/// A valid file with one line replaced, and the error that must come.
struct Mistake
{
    int line;          //!< line to replace, from 1
    std::string text;  //!< its new text, possibly of several lines
    std::string error; //!< the whole message
};

/// How GoogleTest shows a case.
inline void
PrintTo(const Mistake& mistake, std::ostream* out)
{
    *out << "line " << mistake.line << ": " << mistake.text;
}

/**
 * @param lines a file
 * @param line number of the line to replace, from 1; 0 for none
 * @param text its new text
 * @return text of the changed file
 */
inline std::string
ReplaceLine(const std::vector<std::string>& lines, int line, const std::string& text)
{
    std::string result;
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        result += (static_cast<int>(i) + 1 == line ? text : lines[i]) + "\n";
    }
    return result;
}

#endif /* DML_MISTAKE_H */
