/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Preloaded into the program by tests that interrupt studies (LD_PRELOAD): a process that is about
// to keep its run stops itself when the study has kept DML_STOP_AT runs. A signal that the test
// sends then comes amid the study, however busy the machine is.

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>

namespace
{

/// @return whether it is the number of a run, under which its folder is kept
bool
IsNumber(const std::string& name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isdigit(c) != 0;
    });
}

/// @param place descriptor of a folder @param path relative to it @return how many runs it has
long
CountRuns(int place, const std::string& path)
{
    DIR* folder = fdopendir(openat(place, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    long runs = 0;
    while (const dirent* entry = folder ? readdir(folder) : nullptr)
    {
        runs += IsNumber(entry->d_name) ? 1 : 0;
    }
    closedir(folder);
    return runs;
}

/// Stop this process if what it is about to rename is one run too many.
void
StopIfDue(int place, const std::string& to)
{
    const char* most = std::getenv("DML_STOP_AT");
    const std::size_t slash = to.rfind('/');
    const bool inside = slash != std::string::npos;
    if (most && IsNumber(inside ? to.substr(slash + 1) : to) &&
        CountRuns(place, inside ? to.substr(0, slash + 1) : ".") >= std::atol(most))
    {
        std::raise(SIGSTOP);
    }
}

/// @return the function that has this name in the libraries that come after this one
template <typename Function>
Function*
FindNext(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" int
rename(const char* from, const char* to)
{
    StopIfDue(AT_FDCWD, to);
    return FindNext<int(const char*, const char*)>("rename")(from, to);
}

extern "C" int
renameat(int fromPlace, const char* from, int toPlace, const char* to)
{
    StopIfDue(toPlace, to);
    return FindNext<int(int, const char*, int, const char*)>(
        "renameat")(fromPlace, from, toPlace, to);
}
