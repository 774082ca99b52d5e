/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-paragraph.h"

#include <sstream>

namespace ns3::dml
{

void
AppendParagraph(std::string& out, const std::string& first, const std::string& text)
{
    constexpr std::size_t LINE_WIDTH = 80;
    std::string line = first;
    bool empty = true;
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        if (!empty && line.size() + 1 + word.size() > LINE_WIDTH)
        {
            out += line + '\n';
            line.assign(first.size(), ' ');
            empty = true;
        }
        line += (empty ? "" : " ") + word;
        empty = false;
    }
    out += line + '\n';
}

} // namespace ns3::dml
