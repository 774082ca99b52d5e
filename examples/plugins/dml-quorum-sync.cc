/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A synchronisation of one's own: a server updates a tensor once it has the gradients of a share of
// the workers, and drops those that come later. doc/extending.rst shows how a scenario chooses it.

#include "ns3/dml-sync-policy.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace example
{

using namespace ns3;
using namespace ns3::dml;

class QuorumSync : public SyncPolicy
{
  public:
    static TypeId GetTypeId();

    bool Aggregates() const override;
    uint32_t GetQuorum(const SyncView& view) const override;

  private:
    double m_share{1}; //!< attribute, of the workers
};

NS_OBJECT_ENSURE_REGISTERED(QuorumSync);

TypeId
QuorumSync::GetTypeId()
{
    static TypeId tid = TypeId("example::QuorumSync")
                            .SetParent<SyncPolicy>()
                            .AddConstructor<QuorumSync>()
                            .AddAttribute("Share",
                                          "Share of the workers whose gradients make an update.",
                                          DoubleValue(0.5),
                                          MakeDoubleAccessor(&QuorumSync::m_share),
                                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

bool
QuorumSync::Aggregates() const
{
    return true;
}

uint32_t
QuorumSync::GetQuorum(const SyncView& view) const
{
    const double workers = std::ceil(m_share * view.workers);
    return std::max<uint32_t>(1, static_cast<uint32_t>(workers));
}

} // namespace example
