/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-clock-alignment.h"

#include "dml-clock-bounds.h"
#include "dml-clock-objective.h"
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

/// The search for the offsets of one set of records.
class ClockAligner
{
  public:
    ClockAligner(const std::vector<RecordedTransfer>& transfers, const std::string& reference)
        : m_transfers(transfers)
    {
        NumberMachines(reference);
        ReadMessages();
    }

    ClockAlignment Run()
    {
        ClockBounds bounds = BoundClocks(m_names.size(), 0, m_messages);
        const ClockObjective objective(FindFamilies());
        std::vector<double> offsets;
        for (const ClockBound& bound : bounds.machines)
        {
            offsets.push_back(bound.offset);
        }
        m_result.objectiveAtMiddle = objective(offsets);
        m_result.objective = m_result.objectiveAtMiddle;
        const std::vector<double> found = MinimiseClocks(objective, m_messages, bounds, offsets);
        std::vector<bool> pinned(m_names.size());
        for (uint32_t machine = 1; machine < m_names.size(); ++machine)
        {
            const ClockBound& bound = bounds.machines[machine];
            const auto isBetterThan = [&](double offset) {
                std::vector<double> other = found;
                other[machine] = offset;
                return objective.GetDeviance(machine, other, found) > CLOCK_DEVIANCE;
            };
            // A middle that happens to be right cannot be ruled out, but the ends can.
            const bool isMiddle = std::abs(found[machine] - bound.offset) <=
                                  (bound.upper - bound.lower) * NEAR_MIDDLE;
            pinned[machine] = isBetterThan(bound.offset) ||
                              (isMiddle && std::isfinite(bound.upper - bound.lower) &&
                               isBetterThan(bound.lower) && isBetterThan(bound.upper));
        }
        Pin(found, pinned, bounds);
        for (uint32_t machine = 1; machine < m_names.size(); ++machine)
        {
            offsets[machine] = pinned[machine] ? found[machine] : bounds.machines[machine].offset;
        }
        m_result.objective = objective(offsets);
        SetMachines(bounds, offsets, pinned);
        AddRules(bounds);
        return m_result;
    }

  private:
    /**
     * @brief Bound the machines that are not pinned by those that are.
     * @param offsets of the pinned machines
     * @param pinned by number
     * @param[in,out] bounds those of the others change
     */
    void Pin(const std::vector<double>& offsets,
             const std::vector<bool>& pinned,
             ClockBounds& bounds) const
    {
        std::vector<ClockMessage> messages = m_messages;
        for (uint32_t machine = 1; machine < m_names.size(); ++machine)
        {
            if (pinned[machine])
            {
                messages.push_back({0, machine, 0, offsets[machine] + OFFSET_PRECISION, 0});
                messages.push_back({machine, 0, offsets[machine] - OFFSET_PRECISION, 0, 0});
            }
        }
        if (messages.size() == m_messages.size() || !bounds.conflict.empty())
        {
            return;
        }
        const ClockBounds rest = BoundClocks(m_names.size(), 0, messages);
        for (uint32_t machine = 1; machine < m_names.size(); ++machine)
        {
            if (!pinned[machine])
            {
                bounds.machines[machine] = rest.machines[machine];
            }
        }
    }

    /**
     * @brief Give each machine a number, the reference 0, and find the first time on its clock.
     * @param reference machine, or empty
     */
    void NumberMachines(std::string reference)
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
        for (const RecordedTransfer& transfer : m_transfers)
        {
            see(transfer.receiver, transfer.start);
            see(transfer.receiver, transfer.end);
            see(transfer.sender, transfer.ready);
            downlink = downlink == nullptr && transfer.downlink ? &transfer : downlink;
        }
        if (m_transfers.empty())
        {
            throw InputError("clocks: the trace has no recorded transfers; accepted: at least one");
        }
        if (reference.empty())
        {
            reference = (downlink != nullptr ? *downlink : m_transfers.front()).receiver;
        }
        if (first.count(reference) == 0)
        {
            throw InputError("clocks: found reference '" + reference +
                             "'; accepted: a machine that recorded a transfer");
        }
        m_names.push_back(reference);
        m_bases.push_back(first.at(reference));
        for (const auto& [machine, time] : first)
        {
            if (machine != reference)
            {
                m_names.push_back(machine);
                m_bases.push_back(time);
            }
        }
        for (uint32_t number = 0; number < m_names.size(); ++number)
        {
            m_numbers[m_names[number]] = number;
        }
    }

    /// @return @p time on the clock of @p machine, in seconds from the first one on it
    double GetSeconds(uint32_t machine, int64_t time) const
    {
        return GetSecondsBetween(m_bases[machine], time);
    }

    void ReadMessages()
    {
        for (std::size_t i = 0; i < m_transfers.size(); ++i)
        {
            const RecordedTransfer& transfer = m_transfers[i];
            if (transfer.ready == UNKNOWN || transfer.sender == transfer.receiver)
            {
                continue;
            }
            const uint32_t sender = m_numbers.at(transfer.sender);
            const uint32_t receiver = m_numbers.at(transfer.receiver);
            const int64_t received =
                transfer.lastByte == UNKNOWN ? transfer.end : transfer.lastByte;
            m_messages.push_back({sender,
                                  receiver,
                                  GetSeconds(sender, transfer.ready),
                                  GetSeconds(receiver, received),
                                  i});
        }
        m_result.messages = m_messages.size();
    }

    /// @return families with at least two members
    std::vector<std::vector<FamilyMember>> FindFamilies()
    {
        std::vector<std::vector<FamilyMember>> families = FindFamilies(true);
        m_byTensor = !families.empty();
        if (!m_byTensor)
        {
            families = FindFamilies(false);
        }
        m_result.families = families.size();
        return families;
    }

    /// @param byTensor families are those of a tensor, else of a size; @return as above
    std::vector<std::vector<FamilyMember>> FindFamilies(bool byTensor) const
    {
        std::map<std::tuple<uint32_t, uint32_t, bool, std::string, uint64_t>,
                 std::vector<FamilyMember>>
            byKey;
        for (const ClockMessage& message : m_messages)
        {
            const RecordedTransfer& transfer = m_transfers[message.record];
            byKey[{message.sender,
                   message.receiver,
                   transfer.downlink,
                   byTensor ? transfer.tensor : "",
                   transfer.bytes}]
                .push_back({message.sender,
                            message.receiver,
                            GetSeconds(message.receiver, transfer.start),
                            GetSeconds(message.receiver, transfer.end),
                            GetSeconds(message.sender, transfer.ready)});
        }
        std::vector<std::vector<FamilyMember>> families;
        for (auto& [key, members] : byKey)
        {
            if (members.size() > 1)
            {
                families.push_back(std::move(members));
            }
        }
        return families;
    }

    /// @param offset in seconds from the bases; @return in ns
    int64_t GetOffset(uint32_t machine, double offset) const
    {
        return Subtract(Subtract(m_bases[machine], m_bases[0]), -std::llround(offset * 1e9));
    }

    void SetMachines(const ClockBounds& bounds,
                     const std::vector<double>& offsets,
                     const std::vector<bool>& pinned)
    {
        for (uint32_t i = 0; i < m_names.size(); ++i)
        {
            const ClockBound& bound = bounds.machines[i];
            MachineClock clock;
            clock.machine = m_names[i];
            // Without any message the clocks are taken as equal, not their first times.
            const bool known = i == 0 || std::isfinite(bound.lower) || std::isfinite(bound.upper) ||
                               offsets[i] != bound.offset;
            clock.offset = known ? GetOffset(i, offsets[i]) : 0;
            clock.lower = std::isfinite(bound.lower) ? GetOffset(i, bound.lower) : UNKNOWN;
            clock.upper = std::isfinite(bound.upper) ? GetOffset(i, bound.upper) : UNKNOWN;
            clock.pinned = pinned[i];
            m_result.machines.push_back(clock);
        }
    }

    /// @return what the record at @p place says, for reports
    std::string Describe(std::size_t place) const
    {
        const RecordedTransfer& transfer = m_transfers[place];
        return "'" + transfer.tensor + "' of step " + std::to_string(transfer.step) + " (from " +
               transfer.sender + " to " + transfer.receiver + ")";
    }

    void AddRules(const ClockBounds& bounds)
    {
        m_result.rules.push_back(
            "clocks: " + std::to_string(m_result.messages) + " of " +
            std::to_string(m_transfers.size()) +
            " transfers tell when they were complete at the "
            "sender; " +
            std::to_string(m_result.families) + " families of at least two by " +
            (m_byTensor ? "tensor" : "size, as there is one step") + "; reference " + m_names[0]);
        for (uint32_t i = 1; i < m_names.size(); ++i)
        {
            const ClockBound& bound = bounds.machines[i];
            const bool above = std::isfinite(bound.lower);
            const bool below = std::isfinite(bound.upper);
            const double origin = GetSecondsBetween(m_bases[0], m_bases[i]);
            const MachineClock& clock = m_result.machines[i];
            std::string text = "clock of " + m_names[i] + ": offset " +
                               ToMicroseconds(1e-9 * static_cast<double>(clock.offset)) + "; ";
            if (above && below)
            {
                text += "transfers that cannot end before they are sent leave " +
                        ToMicroseconds(origin + bound.lower + (bound.upper - bound.lower) / 2) +
                        " +- " + ToMicroseconds((bound.upper - bound.lower) / 2);
            }
            else
            {
                text += above || below ? "transfers bound it on one side only"
                                       : "no transfer tells anything of it";
            }
            text += clock.pinned ? ", receive times tell where in it"
                    : above && below
                        ? ", receive times do not tell where in it: its middle is taken"
                    : above || below ? "; the bound is taken"
                                     : "; it is taken as equal to the reference";
            m_result.rules.push_back(text);
        }
        if (!bounds.conflict.empty())
        {
            std::string text = "clocks: no offsets let all transfers end after they are sent; they "
                               "contradict each other by " +
                               ToMicroseconds(bounds.relaxation) + " each: ";
            for (std::size_t i = 0; i < bounds.conflict.size(); ++i)
            {
                text += (i == 0 ? "" : ", ") + Describe(m_messages[bounds.conflict[i]].record);
            }
            m_result.warnings.push_back(text);
        }
    }

    const std::vector<RecordedTransfer>& m_transfers; //!< records
    std::vector<std::string> m_names;                 //!< machines by number
    std::vector<int64_t> m_bases;                     //!< first time on each clock
    std::map<std::string, uint32_t> m_numbers;        //!< machines by name
    std::vector<ClockMessage> m_messages;             //!< transfers that bound offsets
    bool m_byTensor{true};                            //!< families are those of a tensor
    ClockAlignment m_result;                          //!< under construction
};

} // namespace

ClockAlignment
AlignClocks(const std::vector<RecordedTransfer>& transfers, const std::string& reference)
{
    return ClockAligner(transfers, reference).Run();
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
