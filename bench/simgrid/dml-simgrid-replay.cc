/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-simgrid-replay.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fifo-policy.h"
#include "ns3/dml-sync-policies.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace s4u = simgrid::s4u;

namespace
{

/// The settings with which SimGrid's model is max-min sharing and nothing else.
const std::vector<std::string> SETTINGS = {
    "network/model:CM02",
    "network/crosstraffic:0",     // ACKs take nothing from the other direction
    "network/latency-factor:1",   // no latency is added
    "network/bandwidth-factor:1", // all of the rate is there for payload
    "network/weight-S:0",         // the share does not depend on the rate
    "network/TCP-gamma:0",        // no limit by a TCP window
    "surf/precision:1e-9",        // seconds; the default is 1e-5
    "maxmin/precision:1e-9",      // likewise of rates
};

/// @throws InputError that says what SimGridReplay does not express
[[noreturn]] void
Refuse(const std::string& found, const std::string& accepted)
{
    throw InputError("comparison with SimGrid: found " + found + "; accepted: " + accepted);
}

} // namespace

SimGridReplay::SimGridReplay(TrainingRun run, const FairShareNetwork& network)
    : m_run(std::move(run))
{
    CheckRun(network);
    std::vector<std::string> arguments = {"dml", "--log=root.thresh:error"};
    std::vector<char*> argv;
    for (auto& argument : arguments)
    {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr); // argv[argc]
    int argc = arguments.size();
    m_engine = std::make_unique<s4u::Engine>(&argc, argv.data());
    for (const auto& setting : SETTINGS)
    {
        s4u::Engine::set_config(setting);
    }
    MakePlatform(network);
    s4u::Activity::on_completion_cb(
        [this](const s4u::Activity& activity) { Ended(*activity.get_data<Queue>()); });
}

void
SimGridReplay::CheckRun(const FairShareNetwork& network) const
{
    if (network.rule != SharingRule::EQUAL && network.rule != SharingRule::MAX_MIN)
    {
        Refuse("another sharing rule", "equal, max-min");
    }
    if (!network.background.empty() || !network.changes.empty())
    {
        Refuse("background flows or links that change", "training alone on links that stay");
    }
    for (const auto& flow : network.links.flows)
    {
        if (flow.delay != 0 || flow.cap != 0)
        {
            Refuse("delays or limits of flows", "neither");
        }
    }
    const bool together =
        m_run.sync.IsTypeIdSet() && m_run.sync.GetTypeId() != AsynchronousSync::GetTypeId();
    if (together || m_run.plan->overlaps || m_run.batchControl || m_run.shedding ||
        !m_run.crashes.empty() || m_run.serverCores > 0)
    {
        Refuse("workers that depend on each other", "asynchronous workers");
    }
    if (!m_run.jitter.empty())
    {
        Refuse("steps that begin late", "steps that begin when they can");
    }
    const bool changes = std::any_of(m_run.compute.begin(),
                                     m_run.compute.end(),
                                     [](const auto& worker) { return worker.speed != nullptr; });
    if (changes || !m_run.serverSpeeds.empty())
    {
        Refuse("speeds that change", "the profile's");
    }
    if (m_run.policy.GetTypeId() != FifoPolicy::GetTypeId())
    {
        Refuse("policy " + m_run.policy.GetTypeId().GetName(), "fifo");
    }
    for (const auto& resource : m_run.plan->resources)
    {
        if (resource.slots != 1 || resource.kind == ResourceKind::PARSER)
        {
            Refuse("devices with slots, or parsers", "devices with one slot");
        }
    }
}

void
SimGridReplay::MakePlatform(const FairShareNetwork& network)
{
    s4u::NetZone* zone = s4u::create_full_zone("dml");
    std::vector<s4u::Host*> servers;
    for (uint32_t i = 0; i < m_run.plan->servers; ++i)
    {
        servers.push_back(zone->create_host("server" + std::to_string(i), 1.0)->seal());
    }
    std::vector<s4u::Host*> hosts;
    m_workers.resize(m_run.workers);
    for (uint32_t i = 0; i < m_run.workers; ++i)
    {
        hosts.push_back(zone->create_host("worker" + std::to_string(i), 1.0)->seal());
        m_workers[i].index = i;
        MakeQueues(m_workers[i], servers, hosts[i], zone);
    }

    const FlowNetwork& links = network.links;
    std::vector<bool> counts(links.capacities.size(), network.rule == SharingRule::MAX_MIN);
    for (const auto& link : links.serverLinks)
    {
        counts[link.link] = true;
    }
    std::vector<const s4u::Link*> made(links.capacities.size());
    for (LinkId link = 0; link < made.size(); ++link)
    {
        made[link] =
            zone->create_link("link" + std::to_string(link), links.capacities[link])->seal();
    }
    for (FlowId flow = 0; flow < links.training.size(); ++flow)
    {
        const auto host = [&](const Endpoint& endpoint) {
            return (endpoint.role == Role::SERVER ? servers : hosts)[endpoint.index];
        };
        std::vector<s4u::LinkInRoute> route;
        for (const LinkId link : links.flows[flow].forward)
        {
            if (counts[link])
            {
                route.emplace_back(made[link]);
            }
        }
        zone->add_route(host(links.training[flow].from)->get_netpoint(),
                        host(links.training[flow].to)->get_netpoint(),
                        nullptr,
                        nullptr,
                        route,
                        false);
    }
    zone->seal();
}

void
SimGridReplay::MakeQueues(Worker& worker,
                          const std::vector<s4u::Host*>& servers,
                          s4u::Host* host,
                          s4u::NetZone* zone)
{
    for (const auto& resource : m_run.plan->resources)
    {
        if (resource.kind == ResourceKind::CHANNEL)
        {
            const auto find = [&](const Peer& peer) {
                return peer == SELF ? host : servers[peer.index];
            };
            worker.queues.push_back({&worker, find(resource.at), find(resource.to)});
        }
        else
        {
            // a host of its own for each: nothing computes at the same time
            const std::string name = "compute" + std::to_string(worker.index) + "." +
                                     std::to_string(worker.queues.size());
            worker.queues.push_back({&worker, zone->create_host(name, 1.0)->seal(), nullptr});
        }
    }
    // the start offset is an op on a host of its own
    const std::string name = "start" + std::to_string(worker.index);
    worker.queues.push_back({&worker, zone->create_host(name, 1.0)->seal(), nullptr});
}

void
SimGridReplay::Run()
{
    for (auto& worker : m_workers)
    {
        Queue& start = worker.queues.back();
        const double offset = m_run.startOffsets[worker.index];
        if (offset == 0)
        {
            BeginStep(worker);
            continue;
        }
        const s4u::ExecPtr exec = s4u::Exec::init();
        exec->set_host(start.from)->set_flops_amount(offset)->set_data(&start);
        start.activity = exec;
        exec->start();
    }
    m_engine->run();
    if (m_steps.size() != std::size_t{m_run.workers} * m_run.steps)
    {
        throw RunError("SimGrid ended before all steps were done");
    }
}

double
SimGridReplay::GetNow() const
{
    return s4u::Engine::get_clock();
}

void
SimGridReplay::BeginStep(Worker& worker)
{
    const StepPlan& plan = *m_run.plan;
    worker.sample = m_run.samplers[worker.index].At(worker.step);
    worker.start = s4u::Engine::get_clock();
    worker.left = plan.ops.size();
    worker.waits.resize(plan.ops.size());
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        worker.waits[op] = plan.ops[op].dependencies;
    }
    for (const OpIndex op : plan.roots)
    {
        Push(worker, op);
    }
}

void
SimGridReplay::Push(Worker& worker, OpIndex op)
{
    Queue& queue = worker.queues[m_run.plan->ops[op].resource];
    queue.ready.push_back(op);
    if (queue.op == NO_INDEX)
    {
        StartNext(queue);
    }
}

void
SimGridReplay::StartNext(Queue& queue)
{
    if (queue.ready.empty())
    {
        return;
    }
    queue.op = queue.ready.front();
    queue.ready.pop_front();
    if (queue.to)
    {
        const s4u::CommPtr comm = s4u::Comm::sendto_init(queue.from, queue.to);
        comm->set_payload_size(m_run.plan->ops[queue.op].bytes)->set_data(&queue);
        queue.activity = comm;
        comm->start();
    }
    else
    {
        const s4u::ExecPtr exec = s4u::Exec::init();
        const double seconds = m_run.plan->GetSeconds(queue.worker->sample, queue.op);
        exec->set_host(queue.from)->set_flops_amount(seconds)->set_data(&queue);
        queue.activity = exec;
        exec->start();
    }
}

void
SimGridReplay::Ended(Queue& queue)
{
    m_last = std::move(queue.activity); // SimGrid looks at it once more after this
    const OpIndex op = queue.op;
    if (op == NO_INDEX)
    {
        BeginStep(*queue.worker); // after its start offset
        return;
    }
    EndOp(*queue.worker, op);
    queue.op = NO_INDEX;
    StartNext(queue);
}

void
SimGridReplay::EndOp(Worker& worker, OpIndex op)
{
    const StepPlan& plan = *m_run.plan;
    for (uint32_t i = plan.ops[op].firstDependent; i < plan.ops[op].endDependent; ++i)
    {
        if (--worker.waits[plan.dependents[i]] == 0)
        {
            Push(worker, plan.dependents[i]);
        }
    }
    if (--worker.left > 0)
    {
        return;
    }
    StepRecord record{};
    record.worker = worker.index;
    record.step = worker.step;
    record.sample = worker.sample;
    record.start = worker.start;
    record.end = s4u::Engine::get_clock();
    m_steps.push_back(record);
    if (++worker.step < m_run.steps)
    {
        BeginStep(worker);
    }
}

} // namespace ns3::dml
