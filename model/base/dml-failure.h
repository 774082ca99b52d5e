/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAILURE_H
#define DML_FAILURE_H

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief How an exception ends a program or one of its processes.
 */
struct Failure
{
    int code{1};       //!< exit code: 1 the run failed, 2 bad usage or input
    bool again{false}; //!< the same would fail in the same way again
    std::string text;  //!< for the user
};

/**
 * @brief Say what is being caught, in a handler of exceptions: the errors of dml as they are, those
 * of libraries in words that tell a user what to do.
 * @return the failure
 */
Failure DescribeException();

} // namespace ns3::dml

#endif /* DML_FAILURE_H */
