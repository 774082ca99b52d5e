/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANK_RECORDS_H
#define DML_RANK_RECORDS_H

#include "dml-lineage-scheduler.h"

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Keeps what happens on one rank, so that rank 0 can tell an observer what happened on all
 * of them in the order of a simulation in one process.
 */
class RankRecords : public RunObserver
{
  public:
    /// @param now stamp of the event that runs
    explicit RankRecords(std::function<const EventStamp&()> now);

    void Observe(const RunRecord& record) override;

    /**
     * @brief The simulation is over: what comes now are remainders.
     * @param place of the next ones in their order, the same on all ranks
     */
    void SetRemainder(uint32_t place);

    /**
     * @brief Put the records in order: those that were held back came late.
     * @return all records as bytes, for a program built alike
     */
    std::string Pack();

    /**
     * @brief Tell an observer of the records of all ranks.
     * @param packed what Pack() gave, by rank
     * @param end later records are left out, remainders are not
     * @param observer told in order
     */
    static void Replay(const std::vector<std::string>& packed,
                       const EventStamp& end,
                       RunObserver& observer);

  private:
    /// A record and the number of its stamp.
    struct Entry
    {
        uint32_t stamp;   //!< index
        RunRecord record; //!< what happened
    };

    /// What Pack() gave, taken apart.
    struct Part
    {
        explicit Part(const std::string& packed);

        std::vector<EventStamp> stamps; //!< of the entries
        std::vector<Entry> entries;     //!< in order
        std::size_t next{0};            //!< entry

        const EventStamp& GetNext() const;
    };

    std::function<const EventStamp&()> m_now; //!< of the event that runs
    bool m_over{false};                       //!< only remainders come
    EventStamp m_remainder;                   //!< of those
    std::vector<EventStamp> m_stamps;         //!< of the events that gave records
    std::vector<Entry> m_entries;             //!< as they came
};

} // namespace ns3::dml

#endif /* DML_RANK_RECORDS_H */
