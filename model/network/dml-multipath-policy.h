/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MULTIPATH_POLICY_H
#define DML_MULTIPATH_POLICY_H

#include "dml-five-tuple.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/// A packet that can go on over several equally short paths.
struct PathQuestion
{
    FiveTuple tuple;      //!< of the packet
    uint32_t node{0};     //!< number of the node at which it is
    uint32_t choices{2};  //!< links over which it can go, at least 2
    uint32_t bytes{0};    //!< of the IP packet; 0: not known
    Time now{Seconds(0)}; //!< simulated time
};

/**
 * @ingroup dml-network
 * @brief Chooses one of several equally short paths for a packet, at each node where there are
 * several: what `network.multipath` names.
 *
 * In the packet engine each node has an object of its own, which may remember packets. Engines
 * without packets ask GetSpread() what they can make of it.
 */
class MultipathPolicy : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// How the packets of a connection use its paths.
    enum class Spread
    {
        BY_CONNECTION, //!< all take one path: Choose() depends on the five-tuple and the node only
        EVENLY,        //!< each of equally short links gets the same part of them
        OTHERWISE,     //!< in a way that no engine without packets can express
    };

    /// @return how packets of a connection use its paths; the same for the whole run
    virtual Spread GetSpread() const = 0;

    /// @param question a packet and how many choices it has @return one of these, from 0 to
    /// `choices` - 1
    virtual uint32_t Choose(const PathQuestion& question) = 0;

    /// @param stream first one of ns-3's random streams to use @return how many are used
    virtual int64_t AssignStreams(int64_t stream);

    /// @return what it does, in words for the user of a scenario, such as "by a hash"; by default
    /// the name of its class
    virtual std::string Describe() const;
};

/// @param policy that chooses @param question a packet @return what MultipathPolicy::Choose()
/// returns @throws RunError if that is none of the choices
uint32_t ChoosePath(MultipathPolicy& policy, const PathQuestion& question);

} // namespace ns3::dml

#endif /* DML_MULTIPATH_POLICY_H */
