/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_EDITS_H
#define DML_LINK_EDITS_H

#include "ns3/dml-scenario.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Changes a link, an object that has those of the keys rate, delay, queue and mtu in which it is
/// not as `network` says.
using LinkEdit = std::function<void(nlohmann::ordered_json& link)>;

/// Which links of a network an edit is about.
enum class EditedLinks
{
    HOSTS, //!< `network.hosts`
    ALL,   //!< these, and the links of `network.topology`
};

/**
 * @ingroup dml-match
 * @brief Change links that are not as `network.rate`, `delay`, `queue` and `mtu` say.
 * @param scenario has them
 * @param which of them
 * @param edit is told of each
 * @return settings, "key.path=value", of what differs then
 */
std::vector<std::string> EditLinks(const Scenario& scenario,
                                   EditedLinks which,
                                   const LinkEdit& edit);

} // namespace ns3::dml

#endif /* DML_LINK_EDITS_H */
