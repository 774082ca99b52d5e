/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-order-report.h"

#include "ns3/dml-one-worker-run.h"
#include "ns3/dml-ordered-policy.h"
#include "ns3/dml-schedule-meter.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-transfer-order.h"
#include "ns3/dml-transfer-properties.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <iomanip>
#include <memory>
#include <sstream>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::size_t LINE_WIDTH = 80;  //!< columns of a terminal
constexpr std::size_t RANK_WIDTH = 4;   //!< first column
constexpr std::size_t NUMBER_WIDTH = 9; //!< all others but the name, with a space before

/// @return the profile as the time oracle of TicTac sees it: one step, each op at its shortest
Profile
TakeShortest(Profile profile)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (!profile.samples[op].empty())
        {
            profile.samples[op] = {GetShortestSeconds(profile, op)};
        }
    }
    return profile;
}

const Tensor&
GetTensor(const Profile& profile, OpIndex transfer)
{
    return profile.tensors[profile.graph.Get(transfer).tensor];
}

/// Something that serves one op at a time, and for how long it is busy in a step.
using Load = std::pair<std::string, double>;

/// @return the loads of one worker's step with one parameter server; a device with several slots is
/// as many resources that share its work evenly
std::vector<Load>
FindLoads(const Profile& profile, double bytesPerSecond)
{
    std::vector<Load> loads{{"downlink", 0}, {"uplink", 0}, {"parameter server", 0}};
    std::vector<double> devices(profile.devices.size(), 0);
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        if (IsTransfer(op.kind))
        {
            loads[op.kind == OpKind::PULL ? 0 : 1].second +=
                GetTensor(profile, i).bytes / bytesPerSecond;
        }
        else
        {
            (op.kind == OpKind::UPDATE ? loads[2].second : devices[op.device]) +=
                profile.samples[i].front();
        }
    }
    for (std::size_t i = 0; i < devices.size(); ++i)
    {
        const Device& device = profile.devices[i];
        loads.insert(loads.end(),
                     device.slots,
                     {"device " + EscapeControls(device.name), devices[i] / device.slots});
    }
    return loads;
}

/// @param order pulls, first one first; none: as they become ready
/// @return duration of a step, s
double
FindMakespan(const Profile& profile, double bytesPerSecond, const std::vector<OpIndex>& order)
{
    const auto plan = std::make_shared<StepPlan>(
        MakeStepPlan(profile, Placement(profile.tensors.size(), 0), 1, ParseOverhead()));
    TrainingRun run = MakeOneWorkerRun(plan, 1);
    if (!order.empty())
    {
        run.policy.SetTypeId(OrderedPolicy::GetTypeId());
        plan->ranks = RankTransfers(*plan, profile, order, RankedTransfers::PULLS);
    }
    return RunOneWorker(std::move(run), {bytesPerSecond}, nullptr);
}

std::string
FormatMilliseconds(double seconds)
{
    return FormatValue(1000 * seconds);
}

/// Print a line of a table: rank, name, numbers. The name takes what is left of the line; of a
/// longer one the end is shown, which differs more from tensor to tensor.
void
PrintRow(std::ostream& out,
         const std::string& rank,
         const std::string& name,
         const std::vector<std::string>& numbers)
{
    const std::size_t width = LINE_WIDTH - RANK_WIDTH - 1 - numbers.size() * (NUMBER_WIDTH + 1);
    out << std::right << std::setw(RANK_WIDTH) << rank << ' ' << std::left << std::setw(width)
        << KeepEnd(name, width) << std::right;
    for (const auto& number : numbers)
    {
        out << ' ' << std::setw(NUMBER_WIDTH) << number;
    }
    out << '\n';
}

void
PrintHeader(std::ostream& out,
            const std::string& rank,
            const std::string& name,
            const std::vector<std::string>& numbers)
{
    PrintRow(out, rank, name, numbers);
    out << std::string(LINE_WIDTH, '-') << '\n';
}

/// Print the pulls in TIC's order.
void
PrintTic(std::ostream& out, const Profile& profile, const TransferDependencies& dependencies)
{
    PrintHeader(out, "rank", "tensor", {"bytes", "M+"});
    uint32_t rank = 0;
    for (const auto& pull : MakeTicOrder(dependencies))
    {
        const Tensor& tensor = GetTensor(profile, dependencies.GetPulls()[pull.pull]);
        PrintRow(out,
                 std::to_string(rank++),
                 EscapeControls(tensor.name),
                 {std::to_string(tensor.bytes),
                  pull.impending == TransferProperties::INFINITE_COST
                      ? "infinite"
                      : std::to_string(pull.impending)});
    }
}

/// Print the pulls in TAC's order.
void
PrintTac(std::ostream& out,
         const Profile& profile,
         const TransferDependencies& dependencies,
         double bytesPerSecond)
{
    PrintHeader(out, "rank", "tensor", {"bytes", "P ms", "M ms", "M+ ms"});
    uint32_t rank = 0;
    for (const auto& pull : MakeTacOrder(profile, dependencies, bytesPerSecond))
    {
        const Tensor& tensor = GetTensor(profile, dependencies.GetPulls()[pull.pull]);
        PrintRow(out,
                 std::to_string(rank++),
                 EscapeControls(tensor.name),
                 {std::to_string(tensor.bytes),
                  FormatMilliseconds(pull.load),
                  FormatMilliseconds(tensor.bytes / bytesPerSecond),
                  pull.impending == TransferProperties::INFINITE_COST
                      ? "infinite"
                      : FormatMilliseconds(pull.impending / bytesPerSecond)});
    }
}

/// Print what orders are worth: bounds, and makespan and E of the policy, the listing, the reverse.
void
PrintEfficiency(std::ostream& out, const Profile& profile, const TransferOrderOptions& options)
{
    const auto loads = FindLoads(profile, options.bytesPerSecond);
    const auto busiest = std::max_element(loads.begin(), loads.end(), [](auto& a, auto& b) {
        return a.second < b.second;
    });
    std::vector<double> busy;
    for (const auto& load : loads)
    {
        busy.push_back(load.second);
    }
    const MakespanBounds bounds = ComputeMakespanBounds(busy);
    out << "one worker, one parameter server, no flow control; each op at its shortest\n"
        << "U = " << FormatMilliseconds(bounds.upper) << " ms   all ops one after the other\n"
        << "L = " << FormatMilliseconds(bounds.lower)
        << " ms   the busiest resource alone: " << busiest->first << '\n'
        << "S = " << FormatValue(ComputeSchedulingSpeedup(bounds))
        << "   (U - L) / L: speed-up of the best order at most\n\n";

    TransferOrderOptions reverse = options;
    reverse.rule = "reverse";
    const std::pair<std::string, std::vector<OpIndex>> orders[] = {
        {options.rule, MakeTransferOrder(profile, options)},
        {"as listed", {}},
        {"reverse of tic", MakeTransferOrder(profile, reverse)}};
    PrintHeader(out, "", "order", {"step ms", "E"});
    for (const auto& [name, order] : orders)
    {
        const double makespan = FindMakespan(profile, options.bytesPerSecond, order);
        // no step is longer than U here, but sums of its parts may be by a rounding error
        const auto efficiency = ComputeSchedulingEfficiency(bounds, makespan);
        PrintRow(out,
                 "",
                 name,
                 {FormatMilliseconds(makespan),
                  efficiency ? FormatValue(std::max(0.0, *efficiency)) : "-"});
    }
    if (bounds.upper == bounds.lower)
    {
        out << "\nE = (U - step) / (U - L) is undefined: U = L, one resource has all the work, "
               "and\n"
               "no order is better than another\n";
    }
}

} // namespace

std::string
FormatOrderReport(const Profile& profile, const std::string& policy, double bytesPerSecond)
{
    if (policy != "tic" && policy != "tac")
    {
        throw InputError("unknown policy '" + policy + "'; accepted: tic, tac");
    }
    const Profile shortest = TakeShortest(profile);
    TransferOrderOptions options;
    options.rule = policy;
    options.bytesPerSecond = bytesPerSecond;
    std::ostringstream out;
    const TransferDependencies dependencies(shortest);
    if (policy == "tic")
    {
        PrintTic(out, shortest, dependencies);
    }
    else
    {
        PrintTac(out, shortest, dependencies, bytesPerSecond);
    }
    if (dependencies.GetPulls().empty())
    {
        out << "no op pulls a tensor\n";
    }
    out << '\n';
    PrintEfficiency(out, shortest, options);
    return out.str();
}

} // namespace ns3::dml
