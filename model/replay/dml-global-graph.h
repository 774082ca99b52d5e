/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GLOBAL_GRAPH_H
#define DML_GLOBAL_GRAPH_H

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// An op of a global data-flow graph, from 0.
using GlobalOp = uint32_t;
/// "No op": never a valid one.
constexpr GlobalOp NO_GLOBAL_OP = std::numeric_limits<GlobalOp>::max();

/**
 * @ingroup dml-replay
 * @brief The global data-flow graph of a job: the ops of all endpoints, joined by dependencies.
 *
 * A device is what runs one op at a time: a compute device of an endpoint, or a channel, as in
 * dPRO (Hu et al., MLSys 2022, section 4.3). What the ops and devices stand for is the caller's to
 * know, by their numbers. Names and times are not here, so that the same graph can be replayed with
 * other durations.
 */
class GlobalGraph
{
  public:
    /// Ops that wait for an op.
    struct Range
    {
        const GlobalOp* first; //!< the first one
        const GlobalOp* last;  //!< behind the last one

        /// @return the first one
        const GlobalOp* begin() const
        {
            return first;
        }

        /// @return behind the last one
        const GlobalOp* end() const
        {
            return last;
        }
    };

    /// Dependencies: (op that must end, op that waits for it).
    using Dependencies = std::vector<std::pair<GlobalOp, GlobalOp>>;

    /**
     * @param devices by op: the device that runs it, from 0
     * @param dependencies in any order; a pair may be given twice
     * @throws InputError if a dependency names no op, or ops wait for each other in a
     * circle; the message has the op's number
     */
    GlobalGraph(std::vector<uint32_t> devices, Dependencies dependencies);

    /// @return number of ops
    uint32_t GetSize() const
    {
        return m_devices.size();
    }

    /// @return one more than the highest number of a device
    uint32_t CountDevices() const
    {
        return m_deviceCount;
    }

    /// @param op valid @return the device that runs it
    uint32_t GetDevice(GlobalOp op) const
    {
        return m_devices[op];
    }

    /// @param op valid @return the ops that wait for it, by number
    Range GetDependents(GlobalOp op) const
    {
        return {m_dependents.data() + m_first[op], m_dependents.data() + m_first[op + 1]};
    }

    /// @return by op: how many dependencies it has
    const std::vector<uint32_t>& GetWaits() const
    {
        return m_waits;
    }

  private:
    void CheckOrder() const;

    std::vector<uint32_t> m_devices;    //!< by op
    uint32_t m_deviceCount{0};          //!< one more than the highest
    std::vector<uint32_t> m_first;      //!< by op: where its dependents begin; one more at the end
    std::vector<GlobalOp> m_dependents; //!< of all ops
    std::vector<uint32_t> m_waits;      //!< by op
};

} // namespace ns3::dml

#endif /* DML_GLOBAL_GRAPH_H */
