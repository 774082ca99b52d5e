/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SUGGESTION_H
#define DML_SUGGESTION_H

#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Find what a mistyped word was probably meant to be.
 *
 * The measure is the Damerau-Levenshtein distance (insert, delete, replace a letter, swap two
 * neighbours) without regard to case; up to a third of the letters may differ. A candidate of
 * several words of which the first or last is @p word counts as near ("reno": "linux-reno").
 * @param word as typed
 * @param candidates accepted words
 * @return the nearest candidate (the first one on a tie), or an empty text if none is near
 */
std::string Suggest(std::string_view word, const std::vector<std::string>& candidates);

/**
 * @brief The end of an error message.
 * @param meant what Suggest() found, possibly nothing
 * @param accepted what is accepted
 * @return "; did you mean 'x'? accepted: ..." or "; accepted: ..."
 */
std::string AcceptedText(const std::string& meant, const std::string& accepted);

/// @param words any; @return them separated by ", "
std::string JoinWords(const std::vector<std::string>& words);

/// @param things that have a name @return their names
template <typename Things>
std::vector<std::string>
NamesOf(const Things& things)
{
    std::vector<std::string> names;
    for (const auto& thing : things)
    {
        names.push_back(thing.name);
    }
    return names;
}

} // namespace ns3::dml

#endif /* DML_SUGGESTION_H */
