/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_USER_NAMESPACE_H
#define DML_USER_NAMESPACE_H

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Get the right to make network namespaces.
 *
 * A process that has it already (root) stays as it is. Any other becomes root of a user namespace
 * of its own, and moves into an empty network namespace of that: from then on it cannot talk to the
 * world. Its files, and who may touch them, stay as they are.
 *
 * Only in a process of one thread.
 * @throws RunError if the system forbids it, with what forbids it and what to do
 */
void EnterUserNamespace();

} // namespace ns3::dml

#endif /* DML_USER_NAMESPACE_H */
