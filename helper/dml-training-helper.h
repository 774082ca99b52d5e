/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRAINING_HELPER_H
#define DML_TRAINING_HELPER_H

#include "dml-training-job.h"

#include "ns3/application-container.h"
#include "ns3/node-container.h"

#include <map>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-helper
 * @brief Installs endpoints of one role of a TrainingJob on nodes.
 */
class EndpointHelper
{
  public:
    /**
     * @brief Set an attribute of the applications that are installed from now on.
     * @param name of it
     * @param value that it gets, instead of that of the run
     * @throws InputError if the application has no such attribute or takes no such value, or it is
     * one that the job sets: Index, TimeOrigin
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Install an endpoint on each node: the job's next ones.
     * @param nodes in the order of the endpoints' numbers
     * @return the applications, to be started by the script
     * @throws InputError as TrainingJob::Install()
     */
    ApplicationContainer Install(const NodeContainer& nodes) const;

  protected:
    /// @param job of the endpoints; must outlive this @param role of them @param type of the
    /// applications
    EndpointHelper(TrainingJob& job, Role role, TypeId type);

  private:
    TrainingJob& m_job;                                            //!< of the endpoints
    Role m_role;                                                   //!< of them
    TypeId m_type;                                                 //!< of the applications
    std::map<std::string, Ptr<const AttributeValue>> m_attributes; //!< by name
};

/**
 * @ingroup dml-helper
 * @brief Installs the parameter servers of a job.
 */
class ParameterServerHelper : public EndpointHelper
{
  public:
    /// @param job whose servers; must outlive this
    explicit ParameterServerHelper(TrainingJob& job);
};

/**
 * @ingroup dml-helper
 * @brief Installs the workers of a job.
 */
class TrainingWorkerHelper : public EndpointHelper
{
  public:
    /// @param job whose workers; must outlive this
    explicit TrainingWorkerHelper(TrainingJob& job);
};

} // namespace ns3::dml

#endif /* DML_TRAINING_HELPER_H */
