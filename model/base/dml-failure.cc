/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-failure.h"

#include "dml-file-error.h"
#include "dml-repeatable-error.h"

#include <boost/core/demangle.hpp>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <typeinfo>

namespace ns3::dml
{

namespace
{

Failure
DescribePathError(const std::filesystem::filesystem_error& error)
{
    constexpr std::size_t LONGEST = 200; // a name may be what is too long
    std::string path = error.path1().string();
    path = path.size() > LONGEST ? path.substr(0, LONGEST) + "..." : path;
    path = path.empty() ? "a file or folder" : path;
    const std::string text = path + ": cannot be used: " + error.code().message();
    if (IsBadPath(error.code().value()))
    {
        return {2, false, text + "; accepted: a path that can be read, and written for results"};
    }
    return {1, false, text};
}

Failure
DescribeUnexpected(const std::exception& error)
{
    return {1,
            false,
            "an error that dml does not expect here, which is a mistake in dml; please report it "
            "with the command and its files: " +
                boost::core::demangle(typeid(error).name()) + ": " + error.what()};
}

} // namespace

Failure
DescribeException()
{
    try
    {
        throw;
    }
    catch (const FileError& error)
    {
        return {2, false, error.what()};
    }
    catch (const InputError& error)
    {
        return {2, true, error.what()};
    }
    catch (const RepeatableError& error)
    {
        return {1, true, error.what()};
    }
    catch (const RunError& error)
    {
        return {1, false, error.what()};
    }
    catch (const std::bad_alloc&)
    {
        return {1,
                false,
                "there is not enough memory; accepted: a smaller input, fewer workers, servers or "
                "steps, a lower --jobs, or a machine (or limit) with more memory"};
    }
    catch (const std::filesystem::filesystem_error& error)
    {
        return DescribePathError(error);
    }
    catch (const std::system_error& error)
    {
        return {1, false, "the system refuses something: " + std::string(error.what())};
    }
    catch (const std::exception& error)
    {
        return DescribeUnexpected(error);
    }
    catch (...)
    {
        return {1,
                false,
                "an error of unknown kind, which is a mistake in dml; please report it with the "
                "command and its files"};
    }
}

} // namespace ns3::dml
