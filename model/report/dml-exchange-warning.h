/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EXCHANGE_WARNING_H
#define DML_EXCHANGE_WARNING_H

#include "ns3/dml-prepared-scenario.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Warn of collectives of which the fair-share engine does not know what ports do to them:
 * those that exchange between pairs of workers, but where it was found to be right.
 * @param prepared the study @param warnings to which one for each such job is added
 */
void WarnOfExchanges(const PreparedScenario& prepared, std::vector<std::string>& warnings);

} // namespace ns3::dml

#endif /* DML_EXCHANGE_WARNING_H */
