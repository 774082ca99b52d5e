/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-training-helper.h"

#include "ns3/dml-attribute-text.h"
#include "ns3/dml-error.h"
#include "ns3/dml-parameter-server.h"
#include "ns3/dml-training-worker.h"

namespace ns3::dml
{

EndpointHelper::EndpointHelper(TrainingJob& job, Role role, TypeId type)
    : m_job(job),
      m_role(role),
      m_type(type)
{
}

void
EndpointHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    if (name == "Index" || name == "TimeOrigin")
    {
        throw InputError(m_type.GetName() + "::" + name + " is set by the job");
    }
    TypeId::AttributeInformation attribute;
    if (!m_type.LookupAttributeByName(name, &attribute))
    {
        throw InputError(m_type.GetName() + " has no attribute " + name);
    }
    const auto accepted = attribute.checker->CreateValidValue(value);
    if (!accepted)
    {
        throw InputError(m_type.GetName() + "::" + name + ": found " +
                         value.SerializeToString(attribute.checker) +
                         "; accepted: " + DescribeAttribute(attribute));
    }
    m_attributes[name] = accepted;
}

ApplicationContainer
EndpointHelper::Install(const NodeContainer& nodes) const
{
    ApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        applications.Add(m_job.Install(m_role, *node, m_attributes));
    }
    return applications;
}

ParameterServerHelper::ParameterServerHelper(TrainingJob& job)
    : EndpointHelper(job, Role::SERVER, ParameterServer::GetTypeId())
{
}

TrainingWorkerHelper::TrainingWorkerHelper(TrainingJob& job)
    : EndpointHelper(job, Role::WORKER, TrainingWorker::GetTypeId())
{
}

} // namespace ns3::dml
