/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PARSING_FIT_H
#define DML_PARSING_FIT_H

#include "dml-link-fit.h"
#include "dml-stream-group.h"

#include <cstddef>
#include <vector>

namespace ns3::dml
{

/// A line through overheads.
struct ParsingFit
{
    FittedValue alpha;   //!< seconds per byte
    FittedValue beta;    //!< seconds per message
    double loss{0};      //!< mean absolute error, seconds
    std::size_t used{0}; //!< number of streams
};

/**
 * @ingroup dml-import
 * @brief Fit a line to overheads: end minus the later of last byte and parser free, over bytes.
 *
 * The parser is free after the messages that ended before, of this connection or another one, and
 * if it is the receiver's device also after what that computed. Huber's loss; alpha and beta are at
 * least 0; intervals as of FindIntervals(). Source: Li et al., ICPE 2020, section 4.
 * @param groups streams; those without a last byte only tell when the parser is free
 * @param parallel parsing has a resource of its own
 * @return the line
 * @throws InputError if there are fewer than two streams with a last byte
 */
ParsingFit FitParsing(const std::vector<StreamGroup>& groups, bool parallel);

} // namespace ns3::dml

#endif /* DML_PARSING_FIT_H */
