/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A transfer policy of one's own: the smallest transfer that is ready goes first, in portions.
// doc/extending.rst shows how a scenario chooses it.

#include "ns3/dml-transfer-policy.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace example
{

using namespace ns3;
using namespace ns3::dml;

class SmallestFirst : public TransferPolicy
{
  public:
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;
    Turn Next(const WindowView& windows) override;
    bool TurnEnded() override;
    uint32_t GetSize() const override;

  private:
    /// A transfer that is not finished.
    struct Waiting
    {
        OpIndex transfer;  //!< which one
        uint64_t left;     //!< bytes
        uint32_t turns{0}; //!< that it has had
    };

    uint64_t m_portion{0};          //!< attribute, bytes
    std::vector<Waiting> m_waiting; //!< in the order in which they became ready
    std::size_t m_current{0};       //!< index of the one whose turn is open
};

NS_OBJECT_ENSURE_REGISTERED(SmallestFirst);

TypeId
SmallestFirst::GetTypeId()
{
    static TypeId tid = TypeId("example::SmallestFirst")
                            .SetParent<TransferPolicy>()
                            .AddConstructor<SmallestFirst>()
                            .AddAttribute("Portion",
                                          "Bytes of a turn at most.",
                                          UintegerValue(1000000),
                                          MakeUintegerAccessor(&SmallestFirst::m_portion),
                                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

void
SmallestFirst::Add(OpIndex transfer, uint64_t bytes)
{
    m_waiting.push_back({transfer, bytes});
}

Turn
SmallestFirst::Next(const WindowView& windows)
{
    Turn turn;
    for (std::size_t i = 0; i < m_waiting.size(); ++i)
    {
        const Waiting& item = m_waiting[i];
        const uint64_t window = windows.GetWindow(item.transfer, item.turns);
        const bool blocked = window == 0 && item.left > 0;
        if (!blocked && (!turn || item.left < m_waiting[m_current].left))
        {
            m_current = i;
            turn = {item.transfer, std::min({item.left, window, m_portion})};
        }
    }
    if (turn)
    {
        m_waiting[m_current].left -= turn.bytes;
        ++m_waiting[m_current].turns;
    }
    return turn;
}

bool
SmallestFirst::TurnEnded()
{
    const bool done = m_waiting[m_current].left == 0;
    if (done)
    {
        m_waiting.erase(m_waiting.begin() + m_current);
    }
    return done;
}

uint32_t
SmallestFirst::GetSize() const
{
    return m_waiting.size();
}

} // namespace example
