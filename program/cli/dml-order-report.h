/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ORDER_REPORT_H
#define DML_ORDER_REPORT_H

#include "ns3/dml-profile.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-cli
 * @brief What `dml order` prints: the priorities that TIC or TAC gives the pulls of a profile, and
 * what they are worth, in lines of at most 80 columns.
 *
 * Per pull: its rank, tensor and size; for TAC P, M and M+ when it was chosen, for TIC M+ as a
 * number of pulls. Then the bounds U and L of the step, the possible speed-up S, and makespan and
 * scheduling efficiency E of one worker alone with one parameter server in the fair-share engine,
 * flow control and parsing off, with the pulls in this order, as they are listed, and in TIC's
 * order from its end. All of it with the shortest measured time of each op.
 * @param profile a valid profile
 * @param policy "tic" or "tac"
 * @param bytesPerSecond rate of tensors on a link in each direction, finite and above 0
 * @return lines, each with its line end
 * @throws InputError for another policy
 */
std::string FormatOrderReport(const Profile& profile,
                              const std::string& policy,
                              double bytesPerSecond);

} // namespace ns3::dml

#endif /* DML_ORDER_REPORT_H */
