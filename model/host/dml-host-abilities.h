/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_ABILITIES_H
#define DML_HOST_ABILITIES_H

#include <set>
#include <string>

namespace ns3::dml
{

/// What this machine offers to the host engine.
struct HostAbilities
{
    std::string ip;                          //!< path of the program
    std::string tc;                          //!< path of the program
    std::set<std::string> qdiscs;            //!< kinds of queueing disciplines that the kernel has
    std::set<std::string> congestionControl; //!< of TCP: names that a socket accepts
    bool canForward{false};                  //!< a namespace can be made a router
};

/**
 * @ingroup dml-host
 * @brief Find out by trying, in a network namespace that is gone afterwards.
 *
 * Besides what a scenario can ask for, congestion control has what the kernel lists.
 * @return what this machine offers
 * @throws RunError if programs are missing (it names the Debian package), or network namespaces are
 * forbidden; see EnterUserNamespace()
 */
HostAbilities ProbeHostAbilities();

/**
 * @ingroup dml-host
 * @brief The same from a process of its own, for one that must not enter a namespace.
 * @return what this machine offers, found out once
 * @throws RunError as ProbeHostAbilities()
 */
const HostAbilities& GetHostAbilities();

} // namespace ns3::dml

#endif /* DML_HOST_ABILITIES_H */
