/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-clock-alignment.h"

#include "dml-clock-search.h"
#include "dml-stream-group.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr int64_t UNKNOWN = RecordedTransfer::UNKNOWN;
/// An offset is told by receive times if it is more likely than others by more than this deviance.
constexpr double CLOCK_DEVIANCE = 10;

/// As near to the middle is as good, as a share of the interval.
constexpr double NEAR_MIDDLE = 1.0 / 128;
/// Precision of offsets that are searched for, seconds: so much may they contradict each other.
constexpr double OFFSET_PRECISION = 1e-7;

/// @return a - b; @throws InputError if that does not fit
int64_t
Subtract(int64_t a, int64_t b)
{
    int64_t difference = 0;
    if (__builtin_sub_overflow(a, b, &difference))
    {
        throw InputError("clocks: found times " + std::to_string(a) + " ns and " +
                         std::to_string(b) + " ns; accepted: times less than 292 years apart");
    }
    return difference;
}

/// @return @p seconds as text in microseconds
std::string
ToMicroseconds(double seconds)
{
    return std::to_string(std::llround(seconds * 1e6)) + " us";
}

/// What transfers tell of the machines' clocks.
struct ClockRecords
{
    const std::vector<RecordedTransfer>& transfers; //!< records
    std::vector<std::string> names{};               //!< machines by number, the reference first
    std::vector<int64_t> bases{};                   //!< first time on each clock
    std::vector<ClockMessage> messages{};           //!< transfers that bound offsets
};

/**
 * @brief Give each machine a number and find the first time on its clock.
 * @param[in,out] records get names and bases
 * @param reference machine, or empty
 */
void
NumberMachines(ClockRecords& records, std::string reference)
{
    std::map<std::string, int64_t> first;
    const auto see = [&first](const std::string& machine, int64_t time) {
        if (time != UNKNOWN)
        {
            const auto [place, isNew] = first.try_emplace(machine, time);
            place->second = std::min(place->second, time);
        }
    };
    const RecordedTransfer* downlink = nullptr;
    for (const RecordedTransfer& transfer : records.transfers)
    {
        see(transfer.receiver, transfer.start);
        see(transfer.receiver, transfer.end);
        see(transfer.sender, transfer.ready);
        downlink = downlink == nullptr && transfer.downlink ? &transfer : downlink;
    }
    if (records.transfers.empty())
    {
        throw InputError("clocks: the trace has no recorded transfers; accepted: at least one");
    }
    if (reference.empty())
    {
        reference = (downlink != nullptr ? *downlink : records.transfers.front()).receiver;
    }
    if (first.count(reference) == 0)
    {
        throw InputError("clocks: found reference '" + reference +
                         "'; accepted: a machine that recorded a transfer");
    }
    records.names.push_back(reference);
    records.bases.push_back(first.at(reference));
    first.erase(reference);
    for (const auto& [machine, time] : first)
    {
        records.names.push_back(machine);
        records.bases.push_back(time);
    }
}

/// Find the messages of @p records; their times are seconds from the first one on each clock.
void
ReadMessages(ClockRecords& records)
{
    std::map<std::string, uint32_t> numbers;
    for (uint32_t number = 0; number < records.names.size(); ++number)
    {
        numbers[records.names[number]] = number;
    }
    for (std::size_t i = 0; i < records.transfers.size(); ++i)
    {
        const RecordedTransfer& transfer = records.transfers[i];
        if (transfer.ready == UNKNOWN || transfer.sender == transfer.receiver)
        {
            continue;
        }
        const uint32_t sender = numbers.at(transfer.sender);
        const uint32_t receiver = numbers.at(transfer.receiver);
        const int64_t origin = records.bases[receiver];
        const int64_t received = transfer.lastByte == UNKNOWN ? transfer.end : transfer.lastByte;
        records.messages.push_back({sender,
                                    receiver,
                                    GetSecondsBetween(records.bases[sender], transfer.ready),
                                    GetSecondsBetween(origin, received),
                                    i,
                                    GetSecondsBetween(origin, transfer.start),
                                    GetSecondsBetween(origin, transfer.end)});
    }
}

/// @param byTensor families are those of a tensor, else of a size; @return those of two at least
std::vector<ClockFamily>
FindFamilies(const ClockRecords& records, bool byTensor)
{
    std::map<std::tuple<uint32_t, uint32_t, bool, std::string, uint64_t>, ClockFamily> byKey;
    for (const ClockMessage& message : records.messages)
    {
        const RecordedTransfer& transfer = records.transfers[message.record];
        byKey[{message.sender,
               message.receiver,
               transfer.downlink,
               byTensor ? transfer.tensor : "",
               transfer.bytes}]
            .push_back(message);
    }
    std::vector<ClockFamily> families;
    for (auto& [key, members] : byKey)
    {
        if (members.size() > 1)
        {
            families.push_back(std::move(members));
        }
    }
    return families;
}

/// @return by number of the machine whether receive times tell its offset, which is in @p found
std::vector<bool>
FindPinned(const std::vector<ClockFamily>& families,
           const ClockBounds& bounds,
           const std::vector<double>& found)
{
    std::vector<bool> pinned(found.size());
    for (uint32_t machine = 1; machine < found.size(); ++machine)
    {
        const ClockBound& bound = bounds.machines[machine];
        const auto isBetterThan = [&](double offset) {
            std::vector<double> other = found;
            other[machine] = offset;
            return GetClockDeviance(families, machine, other, found) > CLOCK_DEVIANCE;
        };
        // A middle that happens to be right cannot be ruled out, but the ends can.
        const bool isMiddle =
            std::abs(found[machine] - bound.offset) <= (bound.upper - bound.lower) * NEAR_MIDDLE;
        pinned[machine] =
            isBetterThan(bound.offset) || (isMiddle && std::isfinite(bound.upper - bound.lower) &&
                                           isBetterThan(bound.lower) && isBetterThan(bound.upper));
    }
    return pinned;
}

/**
 * @brief Bound the machines that are not fixed by those that are.
 * @param messages the constraints
 * @param offsets of the fixed machines
 * @param fixed by number
 * @param[in,out] bounds those of the others change
 */
void
Fix(std::vector<ClockMessage> messages,
    const std::vector<double>& offsets,
    const std::vector<bool>& fixed,
    ClockBounds& bounds)
{
    if (std::count(fixed.begin(), fixed.end(), true) == 0 || !bounds.conflict.empty())
    {
        return;
    }
    for (uint32_t machine = 1; machine < fixed.size(); ++machine)
    {
        if (fixed[machine])
        {
            messages.push_back({0, machine, 0, offsets[machine] + OFFSET_PRECISION});
            messages.push_back({machine, 0, offsets[machine] - OFFSET_PRECISION, 0});
        }
    }
    const ClockBounds rest = BoundClocks(fixed.size(), 0, messages);
    for (uint32_t machine = 1; machine < fixed.size(); ++machine)
    {
        if (!fixed[machine])
        {
            bounds.machines[machine] = rest.machines[machine];
        }
    }
}

/**
 * @brief Leave clocks as they are that may be right, one after the other.
 * @param records what transfers tell
 * @param[in,out] offsets in seconds, by number; those of the kept machines become what they show
 * @param fixed by number, machines whose offsets are told
 * @param[in,out] bounds those of machines that are neither fixed nor kept change
 * @return by number whether a clock is kept
 */
std::vector<bool>
KeepClocks(const ClockRecords& records,
           std::vector<double>& offsets,
           std::vector<bool> fixed,
           ClockBounds& bounds)
{
    std::vector<bool> kept(fixed.size());
    for (uint32_t machine = 1; machine < fixed.size(); ++machine)
    {
        const ClockBound& bound = bounds.machines[machine];
        const double right = -GetSecondsBetween(records.bases[0], records.bases[machine]);
        constexpr double NANOSECOND = 1e-9; // of times, which are whole ones
        if (fixed[machine] || right < bound.lower - NANOSECOND || right > bound.upper + NANOSECOND)
        {
            continue;
        }
        offsets[machine] = right;
        kept[machine] = true;
        fixed[machine] = true;
        Fix(records.messages, offsets, fixed, bounds);
    }
    return kept;
}

/// @return the clock of machine @p i, whose offset from its base is @p offset seconds
MachineClock
MakeClock(const ClockRecords& records,
          uint32_t i,
          const ClockBound& bound,
          double offset,
          bool pinned,
          bool kept)
{
    const auto toNs = [&](double seconds) {
        return Subtract(Subtract(records.bases[i], records.bases[0]), -std::llround(seconds * 1e9));
    };
    const bool above = std::isfinite(bound.lower);
    const bool below = std::isfinite(bound.upper);
    MachineClock clock;
    clock.machine = records.names[i];
    clock.offset = kept ? 0 : toNs(offset);
    clock.lower = above ? toNs(bound.lower) : UNKNOWN;
    clock.upper = below ? toNs(bound.upper) : UNKNOWN;
    clock.pinned = pinned;
    clock.kept = kept;
    return clock;
}

/// @return what is known of @p clock, whose first time is @p origin seconds after the reference's
std::string
DescribeClock(const MachineClock& clock, const ClockBound& bound, double origin)
{
    const bool above = std::isfinite(bound.lower);
    const bool below = std::isfinite(bound.upper);
    std::string text =
        "clock of " + clock.machine + ": " +
        (clock.kept ? "left as it is, since it may be right"
                    : "offset " + ToMicroseconds(1e-9 * static_cast<double>(clock.offset))) +
        "; ";
    if (above && below)
    {
        text += "transfers that cannot end before they are sent leave " +
                ToMicroseconds(origin + bound.lower + (bound.upper - bound.lower) / 2) + " +- " +
                ToMicroseconds((bound.upper - bound.lower) / 2);
    }
    else
    {
        text += above || below ? "transfers bound it on one side only"
                               : "no transfer tells anything of it";
    }
    return text +
           (clock.pinned     ? ", receive times tell where in it"
            : above && below ? ", receive times do not tell where in it"
            : above || below ? ""
                             : "; it is taken as equal to the reference") +
           (clock.pinned || clock.kept ? ""
            : above && below           ? ": its middle is taken"
            : above || below           ? "; the bound is taken"
                                       : "");
}

/// @return that the records of @p bounds contradict each other
std::string
DescribeConflict(const ClockRecords& records, const ClockBounds& bounds)
{
    std::string text = "clocks: no offsets let all transfers end after they are sent; they "
                       "contradict each other by " +
                       ToMicroseconds(bounds.relaxation) + " each";
    for (std::size_t i = 0; i < bounds.conflict.size(); ++i)
    {
        const RecordedTransfer& transfer =
            records.transfers[records.messages[bounds.conflict[i]].record];
        text += (i == 0 ? ": '" : ", '") + transfer.tensor + "' of step " +
                std::to_string(transfer.step) + " (from " + transfer.sender + " to " +
                transfer.receiver + ")";
    }
    return text;
}

} // namespace

ClockAlignment
AlignClocks(const std::vector<RecordedTransfer>& transfers, const std::string& reference)
{
    ClockRecords records{transfers};
    NumberMachines(records, reference);
    ReadMessages(records);
    ClockBounds bounds = BoundClocks(records.names.size(), 0, records.messages);
    std::vector<ClockFamily> families = FindFamilies(records, true);
    const bool byTensor = !families.empty();
    if (!byTensor)
    {
        families = FindFamilies(records, false);
    }
    std::vector<double> offsets;
    for (const ClockBound& bound : bounds.machines)
    {
        offsets.push_back(bound.offset);
    }
    ClockAlignment result;
    result.families = families.size();
    result.messages = records.messages.size();
    result.objectiveAtMiddle = GetReceiveVariance(families, offsets);
    const std::vector<double> found = MinimiseClocks(families, records.messages, bounds, offsets);
    const std::vector<bool> pinned = FindPinned(families, bounds, found);
    offsets = found;
    Fix(records.messages, offsets, pinned, bounds);
    // what a machine's bounds were before others were kept is what is told
    const ClockBounds told = bounds;
    const std::vector<bool> kept = KeepClocks(records, offsets, pinned, bounds);
    for (uint32_t i = 1; i < offsets.size(); ++i)
    {
        offsets[i] = pinned[i] || kept[i] ? offsets[i] : bounds.machines[i].offset;
    }
    result.objective = GetReceiveVariance(families, offsets);
    result.rules.push_back(
        "clocks: " + std::to_string(result.messages) + " of " + std::to_string(transfers.size()) +
        " transfers tell when they were complete at the sender; " +
        std::to_string(result.families) + " families of at least two by " +
        (byTensor ? "tensor" : "size, as there is one step") + "; reference " + records.names[0]);
    for (uint32_t i = 0; i < offsets.size(); ++i)
    {
        const ClockBound& bound = kept[i] ? told.machines[i] : bounds.machines[i];
        result.machines.push_back(MakeClock(records, i, bound, offsets[i], pinned[i], kept[i]));
        if (i > 0)
        {
            const double origin = GetSecondsBetween(records.bases[0], records.bases[i]);
            result.rules.push_back(DescribeClock(result.machines.back(), bound, origin));
        }
    }
    if (!bounds.conflict.empty())
    {
        result.warnings.push_back(DescribeConflict(records, bounds));
    }
    return result;
}

void
ApplyClocks(std::vector<RecordedTransfer>& transfers, const ClockAlignment& alignment)
{
    std::map<std::string, int64_t> offsets;
    for (const MachineClock& clock : alignment.machines)
    {
        offsets[clock.machine] = clock.offset;
    }
    const auto move = [&offsets](int64_t& time, const std::string& machine) {
        const auto offset = offsets.find(machine);
        if (time != UNKNOWN && offset != offsets.end())
        {
            time = Subtract(time, offset->second);
        }
    };
    for (RecordedTransfer& transfer : transfers)
    {
        move(transfer.start, transfer.receiver);
        move(transfer.end, transfer.receiver);
        move(transfer.used, transfer.receiver);
        move(transfer.lastByte, transfer.receiver);
        move(transfer.ready, transfer.sender);
    }
}

} // namespace ns3::dml
