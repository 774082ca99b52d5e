/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FOUND_PROTOCOL_H
#define DML_FOUND_PROTOCOL_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief A collective that reduces gradients in every step, as traces of one or several workers
 * recorded it.
 */
struct RecordedCollective
{
    uint64_t bytes{0};                //!< of its message
    std::vector<std::string> tensors; //!< gradients in it, if known
    /// s, from its start to its end on a worker, waiting for the slowest one included, for each
    /// worker and step; empty if the traces do not tell
    std::vector<double> recorded;
    /// s, the shortest that any worker recorded of the same collective: that of the last one to
    /// come, which waited for nobody. As many as `recorded`, or empty if one worker recorded it.
    std::vector<double> transfer;
};

/// How the workers of a trace synchronised their gradients.
struct FoundProtocol
{
    std::string name;                            //!< as of `job.protocol`, or empty: none was found
    std::string backend;                         //!< library that did it, as "nccl", or empty
    uint32_t workers{0};                         //!< workers that took part, or 0 if unknown
    uint32_t traced{0};                          //!< workers of which a trace is there
    bool hasOthers{false};                       //!< collectives that reduce no gradients
    std::vector<RecordedCollective> collectives; //!< of one step, in their order
};

} // namespace ns3::dml

#endif /* DML_FOUND_PROTOCOL_H */
