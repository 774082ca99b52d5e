/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_ROLE_H
#define DML_HOST_ROLE_H

#include "dml-host-names.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What the name of a worker or parameter server stands for.
struct HostRole
{
    bool isWorker{true}; //!< a worker, else a parameter server
    uint32_t job{0};     //!< whose, from 0
    uint32_t index{0};   //!< index within the role, from 0
};

/**
 * @brief Find out who a name is, the reverse of WorkerName() and ServerName().
 * @param name any
 * @param jobs sizes of the training jobs
 * @return the worker or server; nothing if these jobs have none of that name
 */
std::optional<HostRole> FindHostRole(const std::string& name, const std::vector<JobSize>& jobs);

} // namespace ns3::dml

#endif /* DML_HOST_ROLE_H */
