/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_USAGE_TRACE_READER_H
#define DML_USAGE_TRACE_READER_H

#include "ns3/dml-speed-trace.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-scenario
 * @brief How a CSV file says how much of a machine others use, as traces of clusters do.
 *
 * A column is named as in the header; or all are numbers from 1, for a file without a header.
 */
struct UsageTraceFormat
{
    std::string time;    //!< column of the time; empty: this is no such file
    std::string cpu;     //!< column of the use of the processor
    std::string memory;  //!< column of the use of the memory; empty: none
    std::string machine; //!< column of the machine; empty: all rows are of one
    std::string only;    //!< the machine whose rows count, if there is such a column
    double unit{1};      //!< seconds in a unit of the time, above 0
    double whole{100};   //!< use of a whole processor or memory, above 0
    double least{0.05};  //!< share that is left at least, above 0, at most 1
    double from{0};      //!< seconds from the first row to the start of the run
};

/// @param column of a UsageTraceFormat @return whether it is a number
bool IsColumnNumber(const std::string& column);

/**
 * @brief Read what others leave of a machine: from each row until the next, 1 - use / whole of it,
 * but no less than `least`.
 *
 * The speed is the share of the processor that is left; the share of the memory changes nothing but
 * what controls of batch sizes see. An empty cell says that nothing was measured: the value of the
 * row before holds on.
 * @param path of the CSV file, which may be gzipped
 * @param format of it
 * @return the changes, at least one, the first at 0
 * @throws InputError as "file:line:column: found ...; accepted: ..."
 */
std::vector<SpeedChange> ReadUsageTrace(const std::string& path, const UsageTraceFormat& format);

} // namespace ns3::dml

#endif /* DML_USAGE_TRACE_READER_H */
