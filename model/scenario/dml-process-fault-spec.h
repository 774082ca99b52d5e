/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROCESS_FAULT_SPEC_H
#define DML_PROCESS_FAULT_SPEC_H

#include "ns3/nstime.h"

#include <string>

namespace ns3::dml
{

/// Something that happens to a worker or a parameter server (`faults`), not to its host's links,
/// nor to whoever lives with it.
struct ProcessFaultSpec
{
    /// What happens.
    enum class Kind
    {
        SLOW,  //!< it computes at another speed for a while
        CRASH, //!< it dies, and may come back
    };

    Kind kind{Kind::SLOW};      //!< what happens
    std::string host;           //!< name of a worker or server; CRASH: of a worker of the first job
    double factor{1};           //!< SLOW: times its speed; above 0, or 0 if it ends
    Time start;                 //!< from the start of the run
    Time duration{Time::Max()}; //!< how long; CRASH: until it rejoins; the largest Time: for good
    std::string key{"faults"};  //!< its key in the scenario, such as "faults[2]", for errors
};

} // namespace ns3::dml

#endif /* DML_PROCESS_FAULT_SPEC_H */
