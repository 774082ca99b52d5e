/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_DEVICE_ORDER_H
#define DML_TF_DEVICE_ORDER_H

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

/**
 * @ingroup dml-import
 * @brief Let ops wait for each other in the order in which they ran on their device.
 *
 * On a device with one slot an op waits for the op before it. On one with several, where ops ran at
 * the same time, it waits for the latest op that had ended before it started. The order is that of
 * starts, then ends; an op comes never before one that it waits for already.
 * @param step ops as recorded; gets dependencies
 * @param slots how many ops a device runs at a time
 */
void AddTfDeviceOrder(MeasuredStep& step, const std::map<std::string, uint32_t>& slots);

} // namespace ns3::dml

#endif /* DML_TF_DEVICE_ORDER_H */
