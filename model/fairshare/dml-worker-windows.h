/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WORKER_WINDOWS_H
#define DML_WORKER_WINDOWS_H

#include "ns3/dml-stream-window-model.h"
#include "ns3/dml-training-run.h"

#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief A worker's view where connections differ: a transfer's window is that of its connection.
 */
class WorkerWindows : public WindowView
{
  public:
    /// @param run has the windows; must outlive this @param worker index
    WorkerWindows(const TrainingRun& run, uint32_t worker)
        : m_run(run),
          m_plan(*run.plan),
          m_worker(worker)
    {
        BeginStep(0);
    }

    /// @param step that begins
    void BeginStep(uint32_t step)
    {
        m_models.clear();
        for (const auto& resource : m_plan.resources)
        {
            const Peer& peer = resource.GetPeer();
            const bool own =
                resource.kind == ResourceKind::CHANNEL && peer.kind == Peer::Kind::SERVER;
            m_models.emplace_back(
                m_run.windowRule,
                own ? m_run.windows.Get(m_worker, peer.index, resource.IsReceiving(), step)
                    : m_run.window,
                m_run.lookahead);
        }
    }

    uint64_t GetWindow(OpIndex transfer, uint32_t turns) const override
    {
        return m_models[m_plan.GetTransfer(transfer, m_worker).resource].GetWindow(transfer, turns);
    }

  private:
    const TrainingRun& m_run;                //!< has the windows
    const StepPlan& m_plan;                  //!< plan with the transfers
    uint32_t m_worker;                       //!< index of the worker
    std::vector<StreamWindowModel> m_models; //!< by resource
};

} // namespace ns3::dml

#endif /* DML_WORKER_WINDOWS_H */
