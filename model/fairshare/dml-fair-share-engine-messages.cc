/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Messages without tensors: what asks for transfers, ends steps, and sets batch sizes. They take no
// bandwidth, and the delays of their routes where FlowNetwork::delaysRequests says so.

#include "dml-fair-share-engine.h"
#include "dml-transfer-ends.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ns3::dml
{

bool
FairShareEngine::IsRequested(StepExecutor& executor, OpIndex op)
{
    if (!m_network.links.delaysRequests)
    {
        return true;
    }
    const StepPlan& plan = executor.GetPlan();
    const uint32_t resource = plan.ops[op].resource;
    const FlowId id = GetFlow(executor, resource);
    FlowState& flow = m_flows[id];
    double known = m_now;
    if (plan.resources[resource].IsSending())
    {
        // the server asks when it hears of the step
        const double start =
            GetStepStart(m_runners[executor.GetNumber()].worker, executor.GetStepOf(op));
        known = start - m_origin + flow.delay + flow.returnDelay;
    }
    else if (!plan.overlaps || plan.ops[op].begins || executor.GetStepOf(op) == 0)
    {
        known = m_now + flow.returnDelay + m_sharing->GetReturnWait(id, m_now);
    } // else the worker has asked when it had sent the gradient, from which the tensor is made
    if (known <= m_now)
    {
        return true;
    }
    const double key = m_origin + known;
    if (flow.requests.empty() || flow.requests.back().first != key)
    {
        Schedule(known, Pending::Kind::REQUESTED, executor.GetNumber(), id);
    }
    flow.requests.emplace_back(key, op);
    return false;
}

void
FairShareEngine::HandleRequests(FlowId id)
{
    FlowState& flow = m_flows[id];
    auto& requests = flow.requests;
    const double known = requests.front().first;
    std::size_t count = 1;
    while (count < requests.size() && requests[count].first == known)
    {
        ++count;
    }
    // they come in the order of the listing, whatever of it was ready first
    std::sort(requests.begin(), requests.begin() + count);
    for (std::size_t request = 0; request < count; ++request)
    {
        flow.executor->SendRequested(requests[request].second);
    }
    requests.erase(requests.begin(), requests.begin() + count);
}

void
FairShareEngine::RequestTransfer(StepExecutor& executor, OpIndex op)
{
    const auto [resource, counterpart] = FindTransferEnds(executor, op);
    StepExecutor& sender = GetPeer(executor, executor.GetPlan().resources[resource].at);
    const uint32_t channel = FindTransferEnds(sender, counterpart).resource;
    const FlowId flow = GetFlow(sender, channel);
    const double delay = m_flows[flow].returnDelay + m_sharing->GetReturnWait(flow, m_now);
    if (!m_network.links.delaysRequests || delay == 0)
    {
        sender.TransferRequested(counterpart);
        return;
    }
    Schedule(m_now + delay, Pending::Kind::MOVE_WANTED, sender.GetNumber(), counterpart);
}

bool
FairShareEngine::DelaysAnswers(const Job& job) const
{
    return m_network.links.delaysRequests && job.run.plan->servers > 0;
}

void
FairShareEngine::MakeAnswerDelays(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const StepPlan& plan = *state.job->run.plan;
    state.answerDelays.assign(plan.servers, 0);
    state.callDelays.assign(plan.servers, 0);
    for (const auto& flows : state.job->plans)
    {
        for (const uint32_t channel : flows.channels)
        {
            const PlannedResource& resource = flows.plan->resources[channel];
            if (resource.IsReceiving() && resource.at.kind == Peer::Kind::SERVER)
            {
                const FlowState& flow = m_flows[state.firstFlow + flows.flowOf[channel]];
                state.answerDelays[resource.at.index] = flow.delay;
                state.callDelays[resource.at.index] = flow.returnDelay;
            }
        }
    }
    const bool joint =
        std::any_of(plan.ops.begin(), plan.ops.end(), [](const auto& op) { return op.joint; });
    state.served.assign(joint ? 0 : plan.servers, 0);
    m_notesServed = m_notesServed || !state.served.empty();
}

void
FairShareEngine::NoteServed(uint32_t runner, OpIndex op)
{
    if (!m_notesServed || m_runners[runner].worker == NO_INDEX)
    {
        return;
    }
    Worker& state = m_workers[m_runners[runner].worker];
    const StepPlan& plan = m_runners[runner].executor->GetPlan();
    if (state.served.empty() || plan.IsMove(op))
    {
        return;
    }
    const PlannedResource& resource = plan.resources[plan.ops[op].resource];
    const Peer& where = resource.kind == ResourceKind::CHANNEL ? resource.to : resource.at;
    if (where.kind == Peer::Kind::SERVER)
    {
        state.served[where.index] = GetNow();
    }
}

void
FairShareEngine::StepCompleted(StepExecutor& executor, uint32_t step)
{
    const Runner& runner = m_runners[executor.GetNumber()];
    if (runner.worker == NO_INDEX)
    {
        BeginAggregation(executor, *runner.job);
        return;
    }
    Worker& state = m_workers[runner.worker];
    state.completed = GetNow();
    if (!executor.GetPlan().overlaps)
    {
        state.job->sync->StepDone(executor.GetWorker(), step);
    }
    else if (DelaysAnswers(*state.job))
    {
        SendAnswer(runner.worker, {false, step, 0, 0});
    }
}

void
FairShareEngine::MayProceed(uint32_t worker, uint32_t step, uint32_t dropped)
{
    const WorkerLoop& loop = m_workers[worker].loop;
    SendAnswer(worker, {loop.IsReturning(), loop.GetDone(), step, dropped});
}

void
FairShareEngine::SendAnswer(uint32_t worker, const Answer& answer)
{
    Worker& state = m_workers[worker];
    state.answers.push_back(answer);
    double known = GetNow();
    if (DelaysAnswers(*state.job))
    {
        const bool waited = answer.returns || state.served.empty() || state.completed < GetNow();
        for (std::size_t server = 0; server < state.answerDelays.size(); ++server)
        {
            // when the last of several servers has let a worker go that waited is not known
            const double sent = waited ? GetNow() : state.served[server];
            known = std::max(known, sent + state.answerDelays[server]);
        }
    }
    if (known <= GetNow())
    {
        TakeAnswer(worker);
        return;
    }
    Schedule(known - m_origin, Pending::Kind::ANSWER, state.executor->GetNumber(), 0);
}

void
FairShareEngine::TakeAnswer(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const Answer answer = state.answers.front();
    state.answers.erase(state.answers.begin());
    answer.returns ? state.loop.Return(answer.step)
                   : state.loop.Answer(answer.done, answer.step, answer.dropped);
}

CoordinatorDelays
FairShareEngine::GetCoordinatorDelays(uint32_t worker) const
{
    if (m_network.links.delaysRequests)
    {
        return m_network.links.coordinators[worker];
    }
    const Worker& state = m_workers[worker];
    const bool apart = state.job->run.plan->servers > 0 || worker > state.job->firstWorker;
    if (!apart || state.job->flows == 0)
    {
        return {};
    }
    const FlowState& flow = m_flows[state.firstFlow];
    return {flow.delay, flow.delay};
}

void
FairShareEngine::AskForBatchSize(uint32_t worker, uint32_t step, const WorkerReport& report)
{
    Worker& state = m_workers[worker];
    state.reports.push_back({step, report});
    const double delay = m_network.links.delaysRequests ? GetCoordinatorDelays(worker).to : 0;
    if (delay == 0)
    {
        TakeReport(worker);
        return;
    }
    Schedule(m_now + delay, Pending::Kind::REPORT, state.executor->GetNumber(), 0);
}

void
FairShareEngine::TakeReport(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const auto [step, report] = state.reports.front();
    state.reports.erase(state.reports.begin());
    state.job->batches->Report(worker - state.job->firstWorker, step, report);
}

void
FairShareEngine::SetBatchSize(uint32_t worker, uint32_t batch)
{
    Worker& state = m_workers[worker];
    const double delay = m_network.links.delaysRequests ? GetCoordinatorDelays(worker).from : 0;
    if (delay == 0)
    {
        state.loop.SetBatchSize(batch);
        return;
    }
    Schedule(m_now + delay, Pending::Kind::BATCH, state.executor->GetNumber(), batch);
}

void
FairShareEngine::ReportProgress(uint32_t worker, const SampleReport& report)
{
    // the server learns at once, the worker after a round trip
    Worker& state = m_workers[worker];
    const SampleMove move = state.job->shedding->Check(worker - state.job->firstWorker, report);
    state.moves.emplace_back(report.step, move);
    const auto [to, from] = GetCoordinatorDelays(worker);
    if (to + from == 0)
    {
        MoveSamples(worker);
        return;
    }
    Schedule(m_now + to + from, Pending::Kind::MOVE, state.executor->GetNumber(), 0);
}

void
FairShareEngine::MoveSamples(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const auto [step, move] = state.moves.front();
    state.moves.pop_front();
    state.loop.MoveSamples(step, move);
}

} // namespace ns3::dml
