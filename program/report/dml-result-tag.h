/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESULT_TAG_H
#define DML_RESULT_TAG_H

#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Which run a result belongs to.
 */
struct ResultTag
{
    uint32_t workers{1};     //!< number of workers
    std::string engine;      //!< its name, as GetEngineName() has it
    uint32_t replication{0}; //!< from 0
    std::string variant;     //!< variant of a sweep ("network.rate=10Gbps"), empty if there is none
};

} // namespace ns3::dml

#endif /* DML_RESULT_TAG_H */
