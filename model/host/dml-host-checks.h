/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_CHECKS_H
#define DML_HOST_CHECKS_H

#include "dml-host-abilities.h"

#include "ns3/dml-cluster-network.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// @param delay of a link @return what netem is to add: nothing to one that is left out, as it is
/// so short
Time GetAddedDelay(const Time& delay);

/**
 * @ingroup dml-host
 * @brief Refuse, before anything is made, what the host engine cannot run.
 *
 * That is: more than 64 nodes, links above 4 Gbit/s, background flows, faults, and queues and
 * delays for which this machine's kernel has no queueing discipline.
 * @param network of the spec
 * @param spec the scenario's network
 * @param abilities of this machine
 * @return what differs from the scenario without being refused, a sentence each
 * @throws KeyError with the key, what was found, what is missing, and what would be accepted
 */
std::vector<std::string> CheckHostNetwork(const ClusterNetwork& network,
                                          const NetworkSpec& spec,
                                          const HostAbilities& abilities);

/**
 * @brief The kernel's congestion control for that of the scenario.
 *
 * A machine without it has cubic, else reno, instead; "new-reno" and "linux-reno" are both reno.
 * @param key path of the key that chooses it, for notes
 * @param variant one of the names of CongestionControls()
 * @param abilities of this machine
 * @param notes to which a sentence is added if it is another one, or differs from that name's
 * @return its name, for setsockopt(TCP_CONGESTION)
 */
std::string ChooseCongestionControl(const std::string& key,
                                    const std::string& variant,
                                    const HostAbilities& abilities,
                                    std::vector<std::string>& notes);

} // namespace ns3::dml

#endif /* DML_HOST_CHECKS_H */
