/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_NAMES_H
#define DML_HOST_NAMES_H

#include "dml-network-spec.h"
#include "dml-workers-per-host.h"

#include "ns3/dml-error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/// How many hosts a training job has.
struct JobSize
{
    uint32_t workers{1};             //!< number of workers
    uint32_t servers{1};             //!< number of parameter servers
    WorkersPerHost workersPerHost{}; //!< workers that share a host
    uint32_t aggregators{0};         //!< number of switches that add up for it
};

/// A network that cannot be built: which key is wrong, and how.
class NetworkError : public InputError
{
  public:
    /// @param key below `network`, such as "topology.links[2]" @param found what is wrong
    /// @param accepted what would be right @param unknown a name that no node has, if that is wrong
    NetworkError(const std::string& key,
                 const std::string& found,
                 const std::string& accepted,
                 const std::string& unknown = "")
        : InputError("network." + key + ": found " + found + "; accepted: " + accepted),
          key(key),
          found(found),
          accepted(accepted),
          unknown(unknown)
    {
    }

    std::string key;      //!< below `network`
    std::string found;    //!< what is wrong
    std::string accepted; //!< what would be right
    std::string unknown;  //!< a name that no node has; empty if something else is wrong
};

/// @param job from 0 @param worker from 0 @return "worker3", of other jobs than the first
/// "job1.worker3"
std::string WorkerName(uint32_t job, uint32_t worker);

/// @param job from 0 @param server from 0 @return "ps3", of other jobs than the first "job1.ps3"
std::string ServerName(uint32_t job, uint32_t server);

/// @param job from 0 @param host from 0, of those that workers share @return "host3", of other jobs
/// than the first "job1.host3"
std::string SharedHostName(uint32_t job, uint32_t host);

/// @param job from 0 @param node name of a switch @return the same, of other jobs than the first
/// "job1.switch"
std::string AggregatorName(uint32_t job, const std::string& node);

/**
 * @ingroup dml-network
 * @brief What the hosts of a network are called: parameter servers, workers, extra hosts.
 */
class HostNames
{
  public:
    /// @param spec the scenario's network; must outlive this @param jobs sizes of the training jobs
    HostNames(const NetworkSpec& spec, const std::vector<JobSize>& jobs);

    /// @throws NetworkError if a name that the spec gives makes no sense
    void Check() const;

    /// @return names of the servers of all jobs
    const std::vector<std::string>& GetServers() const
    {
        return m_servers;
    }

    /// @return names of the servers of all jobs, then of the workers
    std::vector<std::string> GetEndpoints() const;
    /// @return names of all hosts: servers, then workers, then extra hosts
    std::vector<std::string> GetAll() const;
    /// @return names of hosts with a node of their own: servers, then workers or the hosts that
    /// these share, then extra hosts
    std::vector<std::string> GetOwnNodes() const;

    /// @return hosts of workers that share one, by the worker's name
    const std::map<std::string, std::string>& GetSharedHosts() const
    {
        return m_shared;
    }

    /// @param name of a host @return how many links to its switch it has: as many as network cards
    /// where workers share it, else 1
    uint32_t CountNics(const std::string& name) const;

    /// @param name any @return true if a host of these jobs has it
    bool IsPresent(const std::string& name) const;

    /// @param name any @return true if a worker or server has it in a cluster of some size
    static bool IsJobName(const std::string& name);

    /// @param name any @return true if a host that workers share has it in a cluster of some size
    bool IsSharedHostName(const std::string& name) const;

    /**
     * @brief Names of nodes become names of files, and must fit in messages.
     * @param key of the name
     * @param name the name
     * @throws NetworkError if it is too long or has other characters
     */
    static void CheckLetters(const std::string& key, const std::string& name);

  private:
    /// @return what names a host, for errors
    const std::string& GetAccepted() const;
    void CheckLink(const std::string& host) const;
    void CheckNics() const;
    void CheckColocated(const std::string& guest, const std::string& host) const;

    const NetworkSpec& m_spec;                   //!< the scenario's network
    std::vector<std::string> m_servers;          //!< of all jobs
    std::vector<std::string> m_workers;          //!< of all jobs
    std::map<std::string, std::string> m_shared; //!< host by worker, where workers share hosts
    std::vector<std::string> m_workerHosts; //!< workers with a host of their own, and shared hosts
};

} // namespace ns3::dml

#endif /* DML_HOST_NAMES_H */
