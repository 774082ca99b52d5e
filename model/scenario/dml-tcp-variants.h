/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_VARIANTS_H
#define DML_TCP_VARIANTS_H

#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/// @return the names that `network.tcp` accepts, such as "cubic"
std::vector<std::string> TcpVariantNames();

/**
 * @brief The ns-3 class behind a name of `network.tcp`.
 * @param name one of TcpVariantNames()
 * @return TypeId name of a TcpCongestionOps, such as "ns3::TcpCubic"
 * @throws InputError if the name is unknown
 */
std::string TcpVariantTypeId(const std::string& name);

} // namespace dml
} // namespace ns3

#endif /* DML_TCP_VARIANTS_H */
