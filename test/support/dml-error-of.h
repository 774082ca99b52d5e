/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ERROR_OF_H
#define DML_ERROR_OF_H

#include "ns3/dml-error.h"

#include <string>

/// @param call code that should throw an Error; @return the error's text, or "no error"
template <typename Error = ns3::dml::InputError, typename Call>
std::string
ErrorOf(Call call)
{
    try
    {
        call();
    }
    catch (const Error& error)
    {
        return error.what();
    }
    return "no error";
}

#endif /* DML_ERROR_OF_H */
