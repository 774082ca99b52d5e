/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_REPEATABLE_ERROR_H
#define DML_REPEATABLE_ERROR_H

#include "dml-error.h"

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief A run that ends badly in the simulation itself: the same seed would end it so again.
 */
class RepeatableError : public RunError
{
  public:
    using RunError::RunError;
};

} // namespace ns3::dml

#endif /* DML_REPEATABLE_ERROR_H */
