/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEADY_STATES_H
#define DML_STEADY_STATES_H

#include "dml-skippable-flow.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Remembers how fast each connection was whenever the same ones sent.
 *
 * A state is who sends to whom. Workers whose paths are of the same kinds are interchangeable: what
 * counts is how many of them do what, and their rates are taken together. So a state that has been
 * steady before need not be watched again for as long.
 */
class SteadyStates
{
  public:
    /// @brief These send now, and no others; each gets its slot. @param senders of any order
    void Enter(const std::vector<SkippableFlow*>& senders);

    /// @return whether the present state has been steady before
    bool IsKnown() const
    {
        return m_known.count(m_key) > 0;
    }

    /// @param flow that sends @return mean rate in this state, which is known, bytes per second
    double GetRate(const SkippableFlow& flow) const;

    /// @brief The present state is steady. @param senders with their rates
    void Learn(const std::vector<SkippableFlow*>& senders);

    /// @brief The network is another one.
    void Forget()
    {
        m_known.clear();
    }

    /// @return known ones
    std::size_t GetSize() const
    {
        return m_known.size();
    }

  private:
    /// A mean.
    struct Mean
    {
        double sum{0};     //!< of what was seen
        uint32_t count{0}; //!< how often
    };

    using Key = std::vector<uint32_t>; //!< kinds of what each worker sends and receives

    std::map<Key, std::vector<Mean>> m_known; //!< by slot
    Key m_key;                                //!< of the present state
    std::size_t m_slots{0};                   //!< slots of the present state
};

} // namespace ns3::dml

#endif /* DML_STEADY_STATES_H */
