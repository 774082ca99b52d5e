/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-folder.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace ns3
{
namespace dml
{

namespace
{

[[noreturn]] void
Refuse(const std::string& path, const std::string& why)
{
    throw InputError(path + ": cannot write results there: " + why +
                     "; accepted: --out with a folder that can be written");
}

} // namespace

ResultFolder::ResultFolder(const std::string& path, Lock lock)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error)
    {
        Refuse(path, error.message());
    }
    const std::string file = path + "/.lock";
    // flock() excludes the processes of other machines only with a descriptor that can write
    m_lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (m_lock < 0 && lock == Lock::SHARED && (errno == EACCES || errno == EROFS))
    {
        m_lock = open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (m_lock < 0 && std::filesystem::is_directory(path))
        {
            return; // nobody can write here
        }
    }
    if (m_lock < 0)
    {
        Refuse(path, std::strerror(errno));
    }
    // the children of a killed run hold the lock for a moment more
    constexpr int TRIES = 10;
    constexpr int WAIT_MICROSECONDS = 100000;
    const int operation = (lock == Lock::SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB;
    int failed = flock(m_lock, operation);
    for (int i = 0; i < TRIES && failed != 0 && errno == EWOULDBLOCK; ++i)
    {
        usleep(WAIT_MICROSECONDS);
        failed = flock(m_lock, operation);
    }
    const bool without = errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP;
    if (failed != 0 && !(lock == Lock::SHARED && without))
    {
        const std::string why =
            errno == EWOULDBLOCK ? "another run does so now" : std::strerror(errno);
        close(m_lock);
        Refuse(path, why);
    }
}

ResultFolder::~ResultFolder()
{
    if (m_lock >= 0)
    {
        close(m_lock);
    }
}

std::string
MakeFolderName(const std::string& text)
{
    constexpr std::size_t LONGEST = 100;
    std::string name;
    for (const char c : text)
    {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
        if ((plain || c == '-') && (!name.empty() || (c != '.' && c != '-')))
        {
            name += c;
        }
        else if (!plain && !name.empty())
        {
            name += '-';
        }
    }
    name.resize(std::min(name.size(), LONGEST));
    return name.empty() ? "unnamed" : name;
}

} // namespace dml
} // namespace ns3
