/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WIRE_TIMES_H
#define DML_WIRE_TIMES_H

#include "ns3/dml-recorded-transfer.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Read when last bytes were received, as a packet capture tells, into recorded transfers.
 *
 * A CSV file with a header. Columns `tensor`, `direction` (`downlink` or `uplink`), `step` (as in
 * the records, from 0) and `last_byte` (seconds with up to nine decimals on the receiver's clock,
 * whose zero is that of the records) must be there; `worker` may be: rows of a worker with another
 * number than @p worker are passed over. Other columns are not read, so a `transfers.csv` of a run
 * will do. An empty `last_byte` is an unknown one, and a row of a transfer that is not recorded is
 * passed over.
 * @param file path, plain or gzipped
 * @param worker number of the worker whose records these are
 * @param[in,out] transfers records of one worker, at most one for a tensor, direction and step
 * @return number of records that got a time
 * @throws InputError naming file, line and column if the file cannot be read, a column is missing,
 * a value is none, two rows tell of one transfer, no row fits any record, or a time is later than
 * the record's end or before the first transfer of its connection and step was ready or started, as
 * those of another clock are
 */
std::size_t ReadWireTimes(const std::string& file,
                          uint32_t worker,
                          std::vector<RecordedTransfer>& transfers);

} // namespace ns3::dml

#endif /* DML_WIRE_TIMES_H */
