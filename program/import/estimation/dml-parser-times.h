/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PARSER_TIMES_H
#define DML_PARSER_TIMES_H

#include "dml-stream-group.h"

#include "ns3/dml-recorded-device.h"

#include <vector>

namespace ns3::dml
{

/**
 * @brief Tell each stream until when what others made the receiver do kept its parser busy.
 *
 * What ended before a message had been parsed was done before it: a receiver that parses one
 * message at a time has one parser for all connections of one direction and step, and a device that
 * parses between its computations takes both in the order in which they come. Of a device with
 * several slots only the times in which all of them computed count. Ops without a length keep
 * nothing busy.
 * @param[in,out] groups get Stream::parserFree, deviceFree and inCompute
 * @param device what the receivers' devices computed
 */
void SetParserTimes(std::vector<StreamGroup>& groups, const RecordedDevice& device);

} // namespace ns3::dml

#endif /* DML_PARSER_TIMES_H */
