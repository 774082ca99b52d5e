/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WORKER_LAUNCHER_H
#define DML_WORKER_LAUNCHER_H

#include "dml-training-worker.h"

#include "ns3/dml-elastic-launcher.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-apps
 * @brief The launcher of the workers of a job: it starts and ends their processes. It is beside the
 * simulated network, and knows nothing of steps: these the workers tell each other.
 */
class WorkerLauncher : private ElasticLauncherHost
{
  public:
    /// @param elasticity of the job
    explicit WorkerLauncher(std::shared_ptr<const Elasticity> elasticity);

    /// @param worker the next one of the job, before it starts; this must outlive its run
    void Add(Ptr<TrainingWorker> worker);

  private:
    void WakeLauncher(double delay, uint64_t call) override;
    void EndWorker(uint32_t worker) override;
    void EndAfterStep(const std::vector<uint32_t>& workers) override;
    void StartWorkers(const Membership& membership) override;
    void NothingLeft(uint32_t worker) override;

    void ModelLost(const std::string& text) override
    {
        m_workers.front()->GiveUp(text);
    }

    std::shared_ptr<const Elasticity> m_elasticity; //!< of the job
    ElasticLauncher m_launcher;                     //!< decides
    std::vector<Ptr<TrainingWorker>> m_workers;     //!< of the job
};

} // namespace ns3::dml

#endif /* DML_WORKER_LAUNCHER_H */
