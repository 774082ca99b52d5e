/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-policies.h"

#include "dml-credit-policy.h"
#include "dml-fifo-policy.h"
#include "dml-http2-window-policy.h"
#include "dml-ordered-policy.h"
#include "dml-prophet-policy.h"
#include "dml-transfer-policy.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(TransferPolicy);

namespace
{

struct GroupedPolicy
{
    PolicyGroup group;
    PluginName plugin;
};

const std::vector<GroupedPolicy>&
ListPolicies()
{
    constexpr auto ORDERED = &OrderedPolicy::GetTypeId;
    constexpr auto CREDIT = &CreditPolicy::GetTypeId;
    static const std::vector<GroupedPolicy> POLICIES{
        {PolicyGroup::ARRIVAL, {"http2-window", &Http2WindowPolicy::GetTypeId, {}}},
        {PolicyGroup::ARRIVAL, {"frame-by-frame", &RoundRobinPolicy::GetTypeId, {}}},
        {PolicyGroup::ARRIVAL, {"fifo", &FifoPolicy::GetTypeId, {}}},
        {PolicyGroup::ORDER, {"tic", ORDERED, {}}},
        {PolicyGroup::ORDER, {"tac", ORDERED, {}}},
        {PolicyGroup::ORDER, {"reverse", ORDERED, {}}},
        {PolicyGroup::ORDER, {"random", ORDERED, {}}},
        {PolicyGroup::ORDER, {"shuffled", ORDERED, {{"Shuffle", "true"}}}},
        {PolicyGroup::ORDER, {"explicit", ORDERED, {}}},
        {PolicyGroup::SLICES, {"p3", CREDIT, {{"Credit", "0"}}}}, // one slice at a time
        {PolicyGroup::SLICES, {"bytescheduler", CREDIT, {}}},
        {PolicyGroup::SLICES, {"prophet", &ProphetPolicy::GetTypeId, {}}},
    };
    return POLICIES;
}

std::vector<PluginName>
ListNamedPolicies()
{
    std::vector<PluginName> names;
    for (const auto& policy : ListPolicies())
    {
        names.push_back(policy.plugin);
    }
    return names;
}

} // namespace

TypeId
TransferPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::TransferPolicy").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

void
TransferPolicy::Prepare([[maybe_unused]] const std::vector<TransferInfo>& transfers,
                        [[maybe_unused]] uint32_t connection,
                        [[maybe_unused]] PolicyClock& clock)
{
}

void
TransferPolicy::Acknowledged([[maybe_unused]] OpIndex transfer)
{
}

const PluginKind&
TransferPolicies()
{
    static const PluginKind KIND("transfer policy",
                                 &TransferPolicy::GetTypeId,
                                 ListNamedPolicies());
    return KIND;
}

PolicyGroup
GroupOf(const std::string& policy)
{
    for (const auto& known : ListPolicies())
    {
        if (known.plugin.name == policy)
        {
            return known.group;
        }
    }
    return PolicyGroup::OWN;
}

} // namespace ns3::dml
