/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-multipath-policies.h"

#include "ns3/dml-error.h"
#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(MultipathPolicy);
NS_OBJECT_ENSURE_REGISTERED(EcmpMultipath);
NS_OBJECT_ENSURE_REGISTERED(RandomMultipath);
NS_OBJECT_ENSURE_REGISTERED(SprayMultipath);
NS_OBJECT_ENSURE_REGISTERED(FlowletMultipath);

TypeId
MultipathPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::MultipathPolicy").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

int64_t
MultipathPolicy::AssignStreams(int64_t /* stream */)
{
    return 0;
}

std::string
MultipathPolicy::Describe() const
{
    return "as " + GetInstanceTypeId().GetName() + " chooses";
}

uint32_t
ChoosePath(MultipathPolicy& policy, const PathQuestion& question)
{
    const uint32_t chosen = policy.Choose(question);
    if (chosen >= question.choices)
    {
        throw RunError(policy.GetInstanceTypeId().GetName() + " chose path " +
                       std::to_string(chosen) + " of " + std::to_string(question.choices) +
                       "; accepted: 0 to " + std::to_string(question.choices - 1));
    }
    return chosen;
}

TypeId
EcmpMultipath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::EcmpMultipath")
                            .SetParent<MultipathPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<EcmpMultipath>()
                            .AddAttribute("Seed",
                                          "Of the hash.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&EcmpMultipath::m_seed),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

MultipathPolicy::Spread
EcmpMultipath::GetSpread() const
{
    return Spread::BY_CONNECTION;
}

uint32_t
EcmpMultipath::Choose(const PathQuestion& question)
{
    return ChooseByHash(HashFiveTuple(question.tuple, m_seed, question.node), question.choices);
}

std::string
EcmpMultipath::Describe() const
{
    return "by a hash";
}

TypeId
RandomMultipath::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::RandomMultipath").SetParent<MultipathPolicy>().SetGroupName("Dml");
    return tid;
}

int64_t
RandomMultipath::AssignStreams(int64_t stream)
{
    Draw(1);
    m_random->SetStream(stream);
    return 1;
}

uint32_t
RandomMultipath::Draw(uint32_t choices)
{
    if (!m_random)
    {
        m_random = CreateObject<UniformRandomVariable>();
    }
    return choices > 1 ? m_random->GetInteger(0, choices - 1) : 0;
}

void
RandomMultipath::DoDispose()
{
    m_random = nullptr;
    MultipathPolicy::DoDispose();
}

TypeId
SprayMultipath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::SprayMultipath")
                            .SetParent<RandomMultipath>()
                            .SetGroupName("Dml")
                            .AddConstructor<SprayMultipath>();
    return tid;
}

MultipathPolicy::Spread
SprayMultipath::GetSpread() const
{
    return Spread::EVENLY;
}

uint32_t
SprayMultipath::Choose(const PathQuestion& question)
{
    return Draw(question.choices);
}

std::string
SprayMultipath::Describe() const
{
    return "each packet takes one of those that are equally short at random";
}

TypeId
FlowletMultipath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::FlowletMultipath")
                            .SetParent<RandomMultipath>()
                            .SetGroupName("Dml")
                            .AddConstructor<FlowletMultipath>()
                            .AddAttribute("Gap",
                                          "A pause of the connection after which the path may be "
                                          "another.",
                                          TimeValue(MicroSeconds(500)),
                                          MakeTimeAccessor(&FlowletMultipath::m_gap),
                                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

MultipathPolicy::Spread
FlowletMultipath::GetSpread() const
{
    return Spread::OTHERWISE;
}

uint32_t
FlowletMultipath::Choose(const PathQuestion& question)
{
    const auto [known, isNew] = m_flowlets.try_emplace(HashFiveTuple(question.tuple, 0, 0));
    Flowlet& flowlet = known->second;
    if (isNew || question.now - flowlet.last > m_gap)
    {
        flowlet.choice = Draw(question.choices);
    }
    flowlet.last = question.now;
    return flowlet.choice;
}

std::string
FlowletMultipath::Describe() const
{
    return "after a pause, a connection takes another one at random";
}

const PluginKind&
MultipathPolicies()
{
    static const PluginKind KIND("multipath policy",
                                 &MultipathPolicy::GetTypeId,
                                 {{"ecmp", &EcmpMultipath::GetTypeId, {}},
                                  {"spray", &SprayMultipath::GetTypeId, {}},
                                  {"flowlet", &FlowletMultipath::GetTypeId, {}}});
    return KIND;
}

Ptr<MultipathPolicy>
MakeMultipathPolicy(const MultipathSpec& spec)
{
    return spec.IsOn() ? MultipathPolicies().Create<MultipathPolicy>({spec.policy, spec.attributes})
                       : nullptr;
}

} // namespace ns3::dml
