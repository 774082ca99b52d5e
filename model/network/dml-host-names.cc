/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-names.h"

#include "ns3/dml-plural.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace ns3::dml
{

namespace
{

/// Longest name of a node.
constexpr std::size_t MAX_NAME = 64;
/// What names a host; where workers share hosts, SHARED_ACCEPTED does.
const std::string ACCEPTED = "workerN, psN, jobK.workerN, jobK.psN or one of extra_hosts";
const std::string SHARED_ACCEPTED =
    "workerN, psN, hostN, jobK.workerN, jobK.psN, jobK.hostN or one of extra_hosts";

std::string
JobPrefix(uint32_t job)
{
    return job == 0 ? "" : "job" + std::to_string(job) + ".";
}

/// @return whether a name is one of these roles with a number, perhaps of another job
bool
IsNumbered(const std::string& name, const std::vector<std::string>& roles)
{
    std::string rest = name;
    const auto number = [&rest](const std::string& prefix) {
        const bool fits = rest.rfind(prefix, 0) == 0;
        const std::size_t end = fits ? rest.find_first_not_of("0123456789", prefix.size()) : 0;
        if (!fits || end == prefix.size() || rest.size() == prefix.size())
        {
            return false;
        }
        rest = end == std::string::npos ? "" : rest.substr(end);
        return true;
    };
    if (number("job"))
    {
        rest = rest.rfind('.', 0) == 0 ? rest.substr(1) : "-";
    }
    return std::any_of(roles.begin(), roles.end(), number) && rest.empty();
}

} // namespace

std::string
WorkerName(uint32_t job, uint32_t worker)
{
    return JobPrefix(job) + "worker" + std::to_string(worker);
}

std::string
ServerName(uint32_t job, uint32_t server)
{
    return JobPrefix(job) + "ps" + std::to_string(server);
}

std::string
SharedHostName(uint32_t job, uint32_t host)
{
    return JobPrefix(job) + "host" + std::to_string(host);
}

std::string
AggregatorName(uint32_t job, const std::string& node)
{
    return JobPrefix(job) + node;
}

HostNames::HostNames(const NetworkSpec& spec, const std::vector<JobSize>& jobs)
    : m_spec(spec)
{
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t server = 0; server < jobs[job].servers; ++server)
        {
            m_servers.push_back(ServerName(job, server));
        }
    }
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t worker = 0; worker < jobs[job].workers; ++worker)
        {
            const WorkersPerHost& perHost = jobs[job].workersPerHost;
            m_workers.push_back(WorkerName(job, worker));
            if (!perHost.AreShared())
            {
                m_workerHosts.push_back(m_workers.back());
                continue;
            }
            const std::string host = SharedHostName(job, perHost.FindHost(worker));
            m_shared[m_workers.back()] = host;
            if (m_workerHosts.empty() || m_workerHosts.back() != host)
            {
                m_workerHosts.push_back(host);
            }
        }
    }
}

void
HostNames::Check() const
{
    std::set<std::string> seen;
    for (std::size_t i = 0; i < m_spec.extraHosts.size(); ++i)
    {
        const std::string& name = m_spec.extraHosts[i];
        const std::string key = "extra_hosts[" + std::to_string(i) + "]";
        CheckLetters(key, name);
        if (IsJobName(name) || IsSharedHostName(name) || !seen.insert(name).second)
        {
            throw NetworkError(key,
                               "'" + name + "'",
                               "names that no worker, server or other host has");
        }
    }
    for (const auto& host : m_spec.hosts)
    {
        CheckLink(host.first);
    }
    for (const auto& [guest, host] : m_spec.colocate)
    {
        CheckColocated(guest, host);
    }
    CheckNics();
}

const std::string&
HostNames::GetAccepted() const
{
    return m_shared.empty() ? ACCEPTED : SHARED_ACCEPTED;
}

void
HostNames::CheckLink(const std::string& host) const
{
    if (!IsJobName(host) && !IsSharedHostName(host) && !IsPresent(host))
    {
        throw NetworkError("hosts." + host, "no such host", GetAccepted(), host);
    }
    if (const auto shared = m_shared.find(host); shared != m_shared.end())
    {
        throw NetworkError("hosts." + host,
                           "a link of its own for one that shares " + shared->second,
                           "the link of " + shared->second);
    }
    if (m_spec.hosts.at(host).nics && !IsSharedHostName(host))
    {
        throw NetworkError("hosts." + host + ".nics",
                           "network cards of a host that workers do not share",
                           "hostN, jobK.hostN, hosts of several workers (job.workers_per_host)");
    }
}

/// A worker sends over one network card, so only those that workers share have several.
void
HostNames::CheckNics() const
{
    if (m_spec.nicsPerHost > 1 && m_shared.empty())
    {
        throw NetworkError("nics_per_host",
                           std::to_string(m_spec.nicsPerHost) +
                               " network cards of hosts with one worker each, which send over one",
                           "1, or job.workers_per_host above 1");
    }
    for (std::size_t i = 0; i < m_spec.extraHosts.size(); ++i)
    {
        const std::string& name = m_spec.extraHosts[i];
        const std::size_t dot = name.rfind('.');
        if (dot != std::string::npos && CountNics(name.substr(0, dot)) > 1)
        {
            throw NetworkError("extra_hosts[" + std::to_string(i) + "]",
                               "'" + name + "', as a network card of " + name.substr(0, dot) +
                                   " may be called",
                               "names that no worker, server or other host has");
        }
    }
}

void
HostNames::CheckColocated(const std::string& guest, const std::string& host) const
{
    const std::string key = "colocate." + guest;
    if (!IsJobName(guest))
    {
        throw NetworkError(key, "no such worker or server", "workerN, psN, jobK.psN, ...", guest);
    }
    if (m_shared.count(guest) > 0)
    {
        throw NetworkError(key,
                           "a worker that shares " + m_shared.at(guest) + " (job.workers_per_host)",
                           "parameter servers, or workers with a host of their own");
    }
    if (!IsJobName(host) && !IsSharedHostName(host) && !IsPresent(host))
    {
        throw NetworkError(key, "'" + host + "', no such host", GetAccepted(), host);
    }
    if (m_spec.colocate.count(host) > 0)
    {
        throw NetworkError(key,
                           "'" + host + "', which lives with another one itself",
                           "a host with a node of its own");
    }
    if (m_spec.hosts.count(guest) > 0)
    {
        throw NetworkError("hosts." + guest,
                           "a link of its own for one that lives with " + host,
                           "links of hosts with a node of their own");
    }
    if (IsPresent(guest) && !IsPresent(host))
    {
        throw NetworkError(key,
                           "'" + host + "', which a cluster of " +
                               Plural(m_workers.size(), "worker") + " and " +
                               Plural(m_servers.size(), "server") + " does not have",
                           "a host that every run has");
    }
}

std::vector<std::string>
HostNames::GetEndpoints() const
{
    std::vector<std::string> names = m_servers;
    names.insert(names.end(), m_workers.begin(), m_workers.end());
    return names;
}

std::vector<std::string>
HostNames::GetAll() const
{
    std::vector<std::string> names = GetEndpoints();
    names.insert(names.end(), m_spec.extraHosts.begin(), m_spec.extraHosts.end());
    return names;
}

std::vector<std::string>
HostNames::GetOwnNodes() const
{
    std::vector<std::string> names = m_servers;
    names.insert(names.end(), m_workerHosts.begin(), m_workerHosts.end());
    names.insert(names.end(), m_spec.extraHosts.begin(), m_spec.extraHosts.end());
    std::vector<std::string> own;
    std::copy_if(names.begin(), names.end(), std::back_inserter(own), [&](const auto& name) {
        return m_spec.colocate.count(name) == 0;
    });
    return own;
}

uint32_t
HostNames::CountNics(const std::string& name) const
{
    const bool isShared = IsSharedHostName(name) && IsPresent(name);
    const auto own = m_spec.hosts.find(name);
    return !isShared ? 1
                     : (own == m_spec.hosts.end() ? m_spec.nicsPerHost
                                                  : own->second.nics.value_or(m_spec.nicsPerHost));
}

bool
HostNames::IsPresent(const std::string& name) const
{
    const auto isIn = [&name](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    return isIn(m_servers) || isIn(m_workers) || isIn(m_workerHosts) || isIn(m_spec.extraHosts);
}

bool
HostNames::IsJobName(const std::string& name)
{
    return IsNumbered(name, {"worker", "ps"});
}

bool
HostNames::IsSharedHostName(const std::string& name) const
{
    return !m_shared.empty() && IsNumbered(name, {"host"});
}

void
HostNames::CheckLetters(const std::string& key, const std::string& name)
{
    const bool fits = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               c == '-' || c == '_' || c == '.';
    });
    if (!fits || name.empty() || name.size() > MAX_NAME)
    {
        throw NetworkError(key,
                           "'" + name + "'",
                           "names of at most " + std::to_string(MAX_NAME) +
                               " letters, digits, '-', '_' and '.'");
    }
}

} // namespace ns3::dml
