/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-run.h"

#include <algorithm>

namespace ns3::dml
{

StepPhases::StepPhases(const RecordedRun& run)
{
    for (std::size_t step = 0; step < run.steps.size(); ++step)
    {
        const StepRecord& record = run.steps[step];
        double pulled = record.start;
        for (const auto& transfer : run.transfers[step])
        {
            pulled = std::max(pulled, transfer.transfer.pull ? transfer.last : record.start);
        }
        pulls.emplace_back(record.start, pulled);
        pushes.emplace_back(pulled, record.end);
    }
}

std::vector<double>
ListBegins(const std::vector<Phase>& phases)
{
    std::vector<double> begins;
    for (const auto& phase : phases)
    {
        begins.push_back(phase.first);
    }
    return begins;
}

std::vector<uint32_t>
CountUnderWay(const std::vector<double>& instants, const std::vector<Phase>& phases)
{
    std::vector<double> begins = ListBegins(phases);
    std::vector<double> ends;
    std::vector<double> moments; // of phases that take no time
    for (const auto& [begin, end] : phases)
    {
        (end > begin ? ends : moments).push_back(std::max(begin, end));
    }
    for (auto* times : {&begins, &ends, &moments})
    {
        std::sort(times->begin(), times->end());
    }
    std::vector<uint32_t> counts;
    for (const double instant : instants)
    {
        const auto begun = std::upper_bound(begins.begin(), begins.end(), instant) - begins.begin();
        const auto ended = std::upper_bound(ends.begin(), ends.end(), instant) - ends.begin();
        const auto passed =
            std::lower_bound(moments.begin(), moments.end(), instant) - moments.begin();
        counts.push_back(static_cast<uint32_t>(begun - ended - passed));
    }
    return counts;
}

std::vector<uint32_t>
CountOthers(const std::vector<Phase>& phases)
{
    auto counts = CountUnderWay(ListBegins(phases), phases);
    for (auto& count : counts)
    {
        --count; // the phase itself
    }
    return counts;
}

std::pair<uint32_t, uint32_t>
ChooseCountClass(uint32_t number)
{
    uint32_t most = 1;
    while (most < number)
    {
        most *= 2;
    }
    return number == 0 ? std::make_pair(0U, 0U) : std::make_pair(most / 2 + 1, most);
}

} // namespace ns3::dml
