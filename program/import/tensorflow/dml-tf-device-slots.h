/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_DEVICE_SLOTS_H
#define DML_TF_DEVICE_SLOTS_H

#include "ns3/dml-measured-job.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3::dml
{

/**
 * @brief Find how many ops each device runs at the same time.
 *
 * The executor's records overlap by microseconds where one op hands over to the next, which is no
 * parallelism: a device has the smallest number of slots that was exceeded in less than 1 % of its
 * busy time.
 * @param step a step
 * @return slots by device, at least 1
 */
std::map<std::string, uint32_t> FindTfDeviceSlots(const MeasuredStep& step);

} // namespace ns3::dml

#endif /* DML_TF_DEVICE_SLOTS_H */
