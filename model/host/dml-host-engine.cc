/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-engine.h"

#include "dml-host-checks.h"
#include "dml-host-messages.h"
#include "dml-network-places.h"
#include "dml-user-namespace.h"

#include "ns3/dml-error.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ns3
{
namespace dml
{

HostEngine::HostEngine(std::vector<TrainingRun> jobs,
                       const NetworkSpec& spec,
                       std::shared_ptr<const ClusterNetwork> network,
                       const TransferSpec& transfer,
                       const HostGrpcSpec& grpc,
                       RunObserver* observer)
    : m_jobs(std::move(jobs)),
      m_spec(spec),
      m_network(std::move(network)),
      m_transfer(transfer),
      m_grpc(grpc),
      m_observer(observer)
{
}

void
HostEngine::Check(const ClusterNetwork& network, const NetworkSpec& spec)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
    {
        throw RunError("cannot make a pipe");
    }
    const pid_t process = fork();
    if (process == 0)
    {
        HostMessageWriter writer(ends[1]);
        try
        {
            EnterUserNamespace();
            CheckHostNetwork(network, spec, ProbeHostAbilities());
        }
        catch (const InputError& error)
        {
            writer.Send({HostMessageKind::REFUSED, 0, error.what()});
        }
        catch (const std::exception& error)
        {
            writer.Send({HostMessageKind::FAILED, 0, error.what()});
        }
        writer.Finish();
        _exit(0);
    }
    close(ends[1]);
    std::vector<HostMessage> messages;
    HostMessageReader(ends[0]).Read(messages); // up to the end, as the pipe blocks
    close(ends[0]);
    waitpid(process, nullptr, 0);
    for (const auto& message : messages)
    {
        if (message.kind == HostMessageKind::REFUSED)
        {
            throw InputError(message.body);
        }
        throw RunError("host engine: " + message.body);
    }
}

void
HostEngine::SampleConnections()
{
    m_connections = true;
}

void
HostEngine::StopWhen(std::function<bool()> rule)
{
    m_stopRule = std::move(rule);
}

HostRunTotals
HostEngine::Run(const std::function<void(double)>& progress)
{
    const auto make = [this] { return std::make_unique<NetworkPlaces>(*m_network, m_spec); };
    HostRun run(m_jobs, *m_network, m_transfer, m_grpc, make, m_observer);
    run.StopWhen(m_stopRule);
    if (m_connections)
    {
        run.SampleConnections();
    }
    return run.Run(progress);
}

} // namespace dml
} // namespace ns3
