/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PARAMETER_SERVER_H
#define DML_PARAMETER_SERVER_H

#include "dml-step-application.h"

#include "ns3/dml-batch-size-control.h"
#include "ns3/dml-sync-server.h"
#include "ns3/dml-work-shedding.h"

#include <array>

namespace ns3::dml
{

class BatchSizeService;

/**
 * @ingroup dml-apps
 * @brief A parameter server: sends parameters, asks for gradients, applies them.
 *
 * When a worker's RunGraph comes, the server asks that worker for every gradient that it holds the
 * parameter of, where steps overlap once it has that of the step before. When all updates of the
 * step are done, and the worker may go on, it answers; a SyncPolicy decides on both.
 *
 * Where workers may be lost (attribute Elastic), a worker whose connections close is not waited
 * for, and what it had not sent, or what had not been updated, is lost. When it opens a new
 * connection, and runs the graph JOIN_GRAPH, it is told the step with which it may go on.
 *
 * One server may choose the workers' batch sizes: they run BATCH_GRAPH there. Or it may move
 * samples within a step: they run PROGRESS_GRAPH and GIVE_GRAPH.
 */
class ParameterServer : public StepApplication, private SyncListener
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    ParameterServer();
    ~ParameterServer() override;

    /// Handle of the graph that only tells a worker with which step it may go on: value STEP_VALUE.
    static constexpr const char* JOIN_GRAPH = "join";
    /// Handle of the graph with which a worker says that it does no more steps.
    static constexpr const char* LEAVE_GRAPH = "leave";
    /// Value of a step's graph: the step that comes next, if it is not the next one.
    static constexpr const char* STEP_VALUE = "step";
    /// Value of a step's graph: gradients of it that came too late, if there are any.
    static constexpr const char* DROPPED_VALUE = "dropped";

    /// @brief Choose the workers' batch sizes here. @param control that does, before the start
    void SetBatchSizeControl(Ptr<BatchSizeControl> control)
    {
        m_control = control;
    }

    /// @brief Move samples here. @param shedding that does, before the start
    void SetShedding(Ptr<WorkShedding> shedding)
    {
        m_shedding = shedding;
    }

    /// @brief Load a checkpoint, as a server has crashed: the workers' connections are closed, and
    /// what is being done for them is lost. @param at seconds from the start of the run
    void AddRestore(double at)
    {
        m_restores.push_back(at);
    }

    std::vector<std::string> GetBlockedOps() const override;

  protected:
    void DoDispose() override;

  private:
    Endpoint GetEndpoint() const override;
    StepExecutor& GetExecutorOf(uint32_t peer) override;
    StepExecutor& GetExecutor(uint32_t number) const override;
    void StartApplication() override;
    void StopApplication() override;
    void MakeExecutors() override;
    void Restore(double at);
    void HandleRunGraph(uint32_t peer, int32_t stream, const RunGraphRequest& request) override;
    void HandlePeerLost(uint32_t peer) override;
    void HandlePeerLeft(uint32_t peer) override;
    void ForgetWorker(uint32_t peer);

    bool CanLosePeers() const override
    {
        return m_elastic;
    }

    void HandlePeerBack(uint32_t peer) override;
    void StepCompleted(StepExecutor& executor, uint32_t step) override;
    void MayProceed(uint32_t worker, uint32_t step, uint32_t dropped) override;
    void HandleReport(uint32_t peer, int32_t stream, const RunGraphRequest& request);
    void HandleSamples(uint32_t peer, int32_t stream, const RunGraphRequest& request);
    void AddExecutor(uint32_t worker);

    uint32_t m_index{0}; //!< attribute
    uint32_t m_cores{0}; //!< attribute
    void HandleJoin(uint32_t peer, int32_t stream);
    void Join(uint32_t peer);

    bool m_elastic{false};    //!< attribute
    bool m_letLeave{false};   //!< attribute
    Ptr<SyncPolicy> m_policy; //!< attribute, may be null
    std::vector<std::unique_ptr<StepExecutor>>
        m_executors;                                 //!< of workers, also of those that are lost
    std::vector<uint32_t> m_numbers;                 //!< by worker: its executor's number
    std::vector<bool> m_present;                     //!< by worker: it takes part
    std::vector<std::array<int32_t, 2>> m_runGraphs; //!< streams of each worker's open RunGraphs:
                                                     //!< of step s at s % 2
    std::vector<int32_t> m_joins;                //!< by worker: stream of its open JOIN_GRAPH; or 0
    std::vector<double> m_restores;              //!< when a checkpoint is loaded, s
    std::vector<DeviceQueue*> m_shared;          //!< by resource: of all workers, with Cores > 0
    std::unique_ptr<SyncServer> m_sync;          //!< where the executors meet
    Ptr<BatchSizeControl> m_control;             //!< may be null
    std::unique_ptr<BatchSizeService> m_batches; //!< null: batch sizes are not chosen here
    Ptr<WorkShedding> m_shedding;                //!< null: samples are not moved here
};

} // namespace ns3::dml

#endif /* DML_PARAMETER_SERVER_H */
