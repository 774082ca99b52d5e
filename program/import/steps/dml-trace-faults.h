/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_FAULTS_H
#define DML_TRACE_FAULTS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What is wrong with a record, or a step, that a profiler wrote.
enum class TraceFault : uint8_t
{
    NO_JSON,      //!< characters that are no JSON: '?' in their place
    UNREADABLE,   //!< a value is none that the profiler writes: the record is left out
    ENDLESS,      //!< it lasts less than 0 s or more than 1e6 s: the record is left out
    NO_ADDRESS,   //!< an allocation without the block's address: the record is left out
    LONG_KERNEL,  //!< a kernel lasts past the start of the next one: it ends there
    OVERLAP,      //!< a step lasts past the start of the next one: it ends there
    DAMAGED_STEP, //!< a time of a step cannot be right: the step is left out
    LOST_KERNELS, //!< a step lacks kernels that it launched: it is left out
};

/**
 * @ingroup dml-import
 * @brief Counts what a profiler lost or invented, so that one bad record does not refuse a trace
 * and the user is told of each kind in one line.
 */
class TraceFaults
{
  public:
    /**
     * @brief Note a fault.
     * @param fault its kind
     * @param example where it is and what was found, as "t.json:1:185: /traceEvents/0/dur: -5"
     * @param excess ns by which something is too long, of kinds that have such; else 0
     */
    void Add(TraceFault fault, const std::string& example, int64_t excess = 0);

    /// @param fault a kind @return how many there are
    uint64_t GetCount(TraceFault fault) const
    {
        return m_found[static_cast<std::size_t>(fault)].count;
    }

    /// @return the first example of a record that was left out, with "; " before it, or empty: for
    /// messages that say that nothing is left
    std::string GetReason() const;

    /**
     * @brief Refuse a trace most of whose records had to be left out.
     * @param file its name
     * @param kept number of records that count; 0 is accepted, as readers refuse a trace of which
     * nothing is left for what it lacks
     * @throws InputError if more than these were left out, with the first one
     */
    void RefuseIfMost(const std::string& file, uint64_t kept) const;

    /// @return a sentence for each kind that there is
    std::vector<std::string> Tell() const;

  private:
    /// What there is of one kind.
    struct Found
    {
        uint64_t count{0};   //!< how often
        int64_t excess{0};   //!< ns, the largest
        std::string example; //!< the first
    };

    std::array<Found, 8> m_found; //!< by kind
};

} // namespace ns3::dml

#endif /* DML_TRACE_FAULTS_H */
