/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_SAMPLER_H
#define DML_LINK_SAMPLER_H

#include "dml-host-messages.h"
#include "dml-host-places.h"

#include "ns3/dml-training-run.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Reads now and then what the links of parameter servers carry.
 */
class LinkSampler
{
  public:
    /**
     * @param jobs whose servers
     * @param network with their hosts
     * @param places where the links are; must outlive this
     */
    LinkSampler(const std::vector<TrainingRun>& jobs,
                const ClusterNetwork& network,
                HostPlaces& places);

    /// @param time now, seconds from the start of the run @return what they did since the last
    /// call, a LinkRecord for each direction that carried something
    std::vector<StampedRecord> Sample(double time);

  private:
    /// A direction of a server's link.
    struct Link
    {
        uint32_t job{0};      //!< of the server
        AccessLink access;    //!< what it is to the server
        DirectedLink link{0}; //!< in the network
        uint64_t bytes{0};    //!< bytes that it had carried at the last call
    };

    HostPlaces& m_places;      //!< where the links are
    std::vector<Link> m_links; //!< of the servers
    double m_last{-1};         //!< when they were read; below 0: before the run
};

} // namespace ns3::dml

#endif /* DML_LINK_SAMPLER_H */
