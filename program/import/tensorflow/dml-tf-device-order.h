/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_DEVICE_ORDER_H
#define DML_TF_DEVICE_ORDER_H

#include "ns3/dml-import-options.h"
#include "ns3/dml-measured-job.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Find how many ops each device runs at the same time, and let ops wait for each other in
 * the order in which they ran on their device.
 *
 * The executor's records overlap by microseconds where one op hands over to the next, which is no
 * parallelism: a device has the smallest number of slots that was exceeded in less than 1 % of its
 * busy time.
 *
 * On a device with one slot an op waits for the op before it. On one with several, where ops ran at
 * the same time, it waits for the latest op that had ended before it started. The order is that of
 * starts, then ends; an op comes never before one that it waits for already.
 * @param step ops as recorded; gets dependencies
 * @param order if it is not MEASURED, there are no dependencies
 * @return slots by device, at least 1
 */
std::map<std::string, uint32_t> OrderTfDevices(MeasuredStep& step,
                                               std::optional<ComputeOrder> order);

} // namespace ns3::dml

#endif /* DML_TF_DEVICE_ORDER_H */
