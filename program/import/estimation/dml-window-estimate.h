/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WINDOW_ESTIMATE_H
#define DML_WINDOW_ESTIMATE_H

#include "dml-stream-model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief What the order in which streams ended tells of the HTTP/2 window WIN.
 */
struct WindowEstimate
{
    uint64_t lower{1}; //!< WIN is at least this, in bytes; 1 if nothing tells
    /// WIN is below this, in bytes; nothing if no stream was interrupted.
    std::optional<uint64_t> upper;
    std::size_t overtakings{0}; //!< pairs of streams that ended in the other order than requested
    std::size_t unexplained{0}; //!< pairs that ended in the other order than predicted

    /// @return WIN to calculate with: NO_WINDOW without an upper end, else the middle
    uint64_t GetWindow() const
    {
        return upper ? lower + (*upper - lower) / 2 : LinkModel::NO_WINDOW;
    }

    /// @return one sentence that says what was found, with numbers
    std::string GetText() const;
};

/**
 * @brief Find the windows that predict best in which order the streams of a connection end.
 *
 * A stream above WIN is overtaken by those that wait behind it. Where all streams of a group are
 * requested together, the windows that make a difference to the order are the streams' sizes (their
 * sixteenths, eighths and so on with every-window), so they are tried, and the one with the fewest
 * pairs in the wrong order taken; of several the largest, with its neighbours that are as good.
 * Where requests come later, windows between two sizes may make a difference too: which streams
 * wait when a turn ends depends on its length. These are not tried, so the interval is that of the
 * sizes around WIN there as well, but some windows in it may predict the order less well. Of many
 * sizes every n-th is tried first, then those around the best of them. If that is no better than
 * whole streams there is no evidence of a window, and the largest stream that others waited for is
 * the lower end.
 * @param groups the streams, both directions if they are there
 * @param link rate, alpha, beta and rule; the window is not used
 * @return the interval
 * @throws InputError as PredictStreams()
 */
WindowEstimate EstimateWindow(const std::vector<StreamGroup>& groups, LinkModel link);

} // namespace ns3::dml

#endif /* DML_WINDOW_ESTIMATE_H */
