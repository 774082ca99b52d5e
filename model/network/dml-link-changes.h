/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_CHANGES_H
#define DML_LINK_CHANGES_H

#include "dml-cluster-network.h"

#include <vector>

namespace ns3::dml
{

/// A direction of a link changes.
struct LinkChange
{
    Time time;            //!< from the start of the run
    DirectedLink link{0}; //!< link that changes
    DataRate rate;        //!< from then on, whether it is up or not
    bool down{false};     //!< whether it is down from then on
};

/**
 * @ingroup dml-network
 * @brief What a list of faults makes of links, the same for both engines.
 *
 * Faults may overlap. A link is down while at least one fault holds it down. Its rate is the lowest
 * of all the rates that faults give it at the time, or its own where none does; that may be more
 * than its own.
 *
 * @param network built from the same spec
 * @param faults some of its links' faults; losses change nothing
 * @return changes in order of link, then time; none that leaves a link as it was
 * @throws NetworkError if there is no such link
 */
std::vector<LinkChange> ListLinkChanges(const ClusterNetwork& network,
                                        const std::vector<FaultSpec>& faults);

} // namespace ns3::dml

#endif /* DML_LINK_CHANGES_H */
