/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-plan.h"

#include "dml-plan-edges.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Between a collective's name and the number of a move.
constexpr char MOVE_MARK = '#';

/// In which order peers are listed.
constexpr std::array ROLES{Role::SERVER, Role::WORKER, Role::AGGREGATOR};

/// @return place of a role in ROLES
uint32_t
GetRolePlace(Role role)
{
    return std::find(ROLES.begin(), ROLES.end(), role) - ROLES.begin();
}

/// Where the resources of each kind start in StepPlan::resources.
struct ResourceLayout
{
    uint32_t servers; //!< first compute resource of a server
    uint32_t devices; //!< first device
    uint32_t parsers; //!< first parser, if parsing is parallel
};

ResourceLayout
AddResources(StepPlan& plan, const Profile& profile, bool parsers)
{
    for (uint32_t i = 0; i < plan.servers; ++i)
    {
        plan.resources.push_back({ResourceKind::CHANNEL, Peer::Server(i), SELF, 0, 1});
    }
    for (uint32_t i = 0; i < plan.servers; ++i)
    {
        plan.resources.push_back({ResourceKind::CHANNEL, SELF, Peer::Server(i), 0, 1});
    }
    for (uint32_t i = 0; i < plan.servers; ++i)
    {
        plan.resources.push_back({ResourceKind::DEVICE, Peer::Server(i), {}, 0, 1});
    }
    const ResourceLayout layout{2 * plan.servers,
                                3 * plan.servers,
                                3 * plan.servers + plan.devices};
    for (uint32_t device = 0; device < plan.devices; ++device)
    {
        plan.resources.push_back(
            {ResourceKind::DEVICE, SELF, {}, device, profile.devices[device].slots});
    }
    for (uint32_t i = 0; parsers && i <= plan.servers; ++i)
    {
        plan.resources.push_back(
            {ResourceKind::PARSER, i == 0 ? SELF : Peer::Server(i - 1), {}, 0, 1});
    }
    return layout;
}

/// The parsing of a pull runs on the worker's first device, that of a push on the server.
uint32_t
ParseResource(const ResourceLayout& layout, OpKind kind, uint32_t server, bool parallel)
{
    if (parallel)
    {
        return layout.parsers + (kind == OpKind::PULL ? 0 : 1 + server);
    }
    return kind == OpKind::PULL ? layout.devices : layout.servers + server;
}

} // namespace

PlannedTransfer
StepPlan::GetTransfer(OpIndex transfer, uint32_t worker, std::optional<uint64_t> buffer) const
{
    if (!IsMove(transfer))
    {
        const PlannedOp& op = ops[transfer];
        return {op.dispatch == Dispatch::SEND, op.resource, op.bytes, op.counterpart, transfer, 0};
    }
    const uint32_t place = GetCollective(transfer);
    const PlannedCollective& collective = collectives[place];
    const uint32_t number = GetMove(transfer);
    const ScheduledMove& move = collective.schedule->Get(worker).moves[number];
    const auto& channels = move.sends ? collective.sendChannels : collective.receiveChannels;
    return {move.sends,
            channels[move.channel],
            collective.schedule->GetBytes(worker, move, buffer.value_or(ops[collective.op].bytes)),
            GetMoveNumber(place, move.counterpart),
            collective.op,
            1 + collective.firstPart + (move.sends ? number : move.counterpart)};
}

std::string
StepPlan::GetTransferName(OpIndex transfer, uint32_t worker) const
{
    if (!IsMove(transfer))
    {
        return names[transfer];
    }
    const PlannedTransfer part = GetTransfer(transfer, worker);
    const uint32_t first = collectives[GetCollective(transfer)].firstPart;
    return names[part.op] + MOVE_MARK + std::to_string(part.part - 1 - first);
}

OpIndex
StepPlan::FindSent(const std::string& name) const
{
    const std::size_t mark = name.rfind(MOVE_MARK);
    if (mark == std::string::npos)
    {
        return NO_INDEX;
    }
    const std::string digits = name.substr(mark + 1);
    const auto found =
        std::find_if(collectives.begin(), collectives.end(), [&](const auto& collective) {
            return name.compare(0, mark, names[collective.op]) == 0;
        });
    if (found == collectives.end() || digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
    {
        return NO_INDEX;
    }
    const auto move = static_cast<uint32_t>(std::stoul(digits));
    return move < moves ? GetMoveNumber(found - collectives.begin(), move) : NO_INDEX;
}

uint64_t
StepPlan::CountSentBytes(uint32_t worker) const
{
    uint64_t bytes = 0;
    for (const auto& op : ops)
    {
        bytes += op.dispatch == Dispatch::SEND ? op.bytes : 0;
    }
    for (const auto& collective : collectives)
    {
        for (const auto& move : collective.schedule->Get(worker).moves)
        {
            bytes += move.sends
                         ? collective.schedule->GetBytes(worker, move, ops[collective.op].bytes)
                         : 0;
        }
    }
    return bytes;
}

uint64_t
StepPlan::CountSent(uint32_t worker) const
{
    uint64_t count = std::count_if(ops.begin(), ops.end(), [](const auto& op) {
        return op.dispatch == Dispatch::SEND;
    });
    for (const auto& collective : collectives)
    {
        const auto& own = collective.schedule->Get(worker).moves;
        count += std::count_if(own.begin(), own.end(), [](const auto& move) { return move.sends; });
    }
    return count;
}

uint32_t
StepPlan::CountChannels() const
{
    return std::count_if(resources.begin(), resources.end(), [](const PlannedResource& resource) {
        return resource.kind == ResourceKind::CHANNEL;
    });
}

std::vector<uint32_t>
StepPlan::ListSentChannels() const
{
    std::vector<uint32_t> sent;
    for (uint32_t i = 0; i < resources.size(); ++i)
    {
        const PlannedResource& resource = resources[i];
        const bool ours = resource.at == SELF || resource.at.kind == Peer::Kind::SERVER;
        if (resource.kind == ResourceKind::CHANNEL && ours)
        {
            sent.push_back(i);
        }
    }
    std::sort(sent.begin(), sent.end(), [this](uint32_t a, uint32_t b) {
        const auto key = [this](uint32_t i) {
            const Peer& peer = resources[i].GetPeer();
            return std::tuple(peer.kind, peer.index, resources[i].IsSending(), i);
        };
        return key(a) < key(b);
    });
    return sent;
}

std::vector<Endpoint>
StepPlan::ListPeers(uint32_t worker, uint32_t workers) const
{
    std::set<std::pair<uint32_t, uint32_t>> found; // place of its role, index
    for (const auto& resource : resources)
    {
        if (resource.kind == ResourceKind::CHANNEL)
        {
            const Endpoint peer = resource.GetPeer().Resolve(worker, workers);
            if (!(peer == GetParticipant(worker, workers))) // nobody
            {
                found.emplace(GetRolePlace(peer.role), peer.index);
            }
        }
    }
    std::vector<Endpoint> peers;
    for (const auto& [place, index] : found)
    {
        peers.push_back({ROLES[place], index});
    }
    return peers;
}

StepPlan
MakeStepPlan(const Profile& profile,
             const Placement& placement,
             uint32_t servers,
             const ParseOverhead& overhead)
{
    StepPlan plan;
    plan.servers = servers;
    plan.devices = profile.devices.size();
    const auto layout = AddResources(plan, profile, !overhead.IsFree() && overhead.parallel);

    std::vector<OpIndex> startOf; // op of the plan that starts an op of the profile
    std::vector<OpIndex> endOf;   // and the one whose end completes it
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        const uint32_t server = op.tensor == NO_INDEX ? 0 : placement[op.tensor];
        PlannedOp planned;
        planned.profileOp = i;
        planned.tensor = op.tensor;
        planned.dispatch = IsTransfer(op.kind) ? Dispatch::SEND : Dispatch::DEVICE;
        planned.bytes = IsTransfer(op.kind) ? profile.tensors[op.tensor].bytes : 0;
        planned.resource = op.kind == OpKind::PULL     ? server
                           : op.kind == OpKind::PUSH   ? servers + server
                           : op.kind == OpKind::UPDATE ? layout.servers + server
                                                       : layout.devices + op.device;
        startOf.push_back(plan.ops.size());
        plan.ops.push_back(planned);
        plan.names.push_back(op.name);
        if (IsTransfer(op.kind) && !overhead.GetCost(op.kind).IsFree())
        {
            planned.parse = true;
            planned.dispatch = Dispatch::DEVICE;
            planned.resource = ParseResource(layout, op.kind, server, overhead.parallel);
            plan.ops.push_back(planned);
            plan.names.push_back("parse of " + op.name);
        }
        endOf.push_back(plan.ops.size() - 1);
    }

    PlanEdges edges;
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        if (startOf[i] != endOf[i])
        {
            edges.inStep.emplace_back(startOf[i], endOf[i]);
        }
        for (const OpIndex before : profile.graph.GetDependencies(i))
        {
            edges.inStep.emplace_back(endOf[before], startOf[i]);
        }
    }
    SetPlanEdges(plan, std::move(edges));

    SetPlanSeconds(plan, profile, overhead);
    return plan;
}

void
SetPlanSeconds(StepPlan& plan, const Profile& profile, const ParseOverhead& overhead)
{
    const uint32_t samples = profile.GetSampleCount();
    plan.seconds.assign(samples * plan.ops.size(), 0.0);
    for (uint32_t sample = 0; sample < samples; ++sample)
    {
        double* row = plan.seconds.data() + sample * plan.ops.size();
        for (OpIndex op = 0; op < plan.ops.size(); ++op)
        {
            const auto& planned = plan.ops[op];
            if (planned.parse)
            {
                const auto cost = overhead.GetCost(profile.graph.Get(planned.profileOp).kind);
                row[op] = cost.alpha * planned.bytes + cost.beta;
            }
            else if (planned.dispatch == Dispatch::DEVICE)
            {
                row[op] = profile.samples[planned.profileOp][sample];
            }
        }
    }
}

} // namespace ns3::dml
