/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ELASTIC_LAUNCHER_H
#define DML_ELASTIC_LAUNCHER_H

#include "dml-elasticity.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief What an engine does for an ElasticLauncher.
 */
class ElasticLauncherHost
{
  public:
    virtual ~ElasticLauncherHost() = default;

    /// @param delay in seconds, after which to call ElasticLauncher::WakeUp() @param call its
    /// argument
    virtual void WakeLauncher(double delay, uint64_t call) = 0;

    /// @param worker whose process is to end now: WorkerLoop::End()
    virtual void EndWorker(uint32_t worker) = 0;

    /**
     * @brief Let workers agree on the last step that one of them is in, do it and tell
     * ElasticLauncher::Stopped(), also from within.
     * @param workers all that have a process
     */
    virtual void EndAfterStep(const std::vector<uint32_t>& workers) = 0;

    /**
     * @brief Let workers begin together, with the step after the last one that has been done by one
     * who has the model: WorkerLoop::Restart().
     * @param membership who they are
     */
    virtual void StartWorkers(const Membership& membership) = 0;

    /// @param worker without a process, for whom nothing is left: others have done the last step
    virtual void NothingLeft(uint32_t worker) = 0;

    /// @brief Nobody is left who has the model: the run fails. @param text why
    virtual void ModelLost(const std::string& text) = 0;
};

/**
 * @ingroup dml-execution
 * @brief What starts the workers of a job without servers, and starts them again when there are
 * fewer or more: TorchElastic's agents, or the driver of Horovod Elastic.
 *
 * It stands beside the training network: that it hears of what happens, and starts processes, takes
 * Elasticity::rebuild and nothing else. When a worker crashes it ends the others at once, whose
 * collectives cannot end. When one is back it lets the others end the step they are in. Each time
 * all who are there begin together when no more has changed for so long.
 *
 * Workers that were there hand the model to those that come back. If there are none, it is lost.
 * Once a worker has done the last step, nobody is started any more.
 */
class ElasticLauncher
{
  public:
    /// @param elasticity of the job @param host the engine; must outlive this
    ElasticLauncher(std::shared_ptr<const Elasticity> elasticity, ElasticLauncherHost& host);

    /// @param worker whose process has died @param now seconds, for messages
    void Crashed(uint32_t worker, double now);

    /// @param worker that had crashed, and whose host is there again
    void Back(uint32_t worker);

    /// @param worker that has ended the step after which it was to
    void Stopped(uint32_t worker);

    /// @param worker that has nothing more to do, and has not crashed
    void Finished(uint32_t worker);

    /// @param call as given to ElasticLauncherHost::WakeLauncher()
    void WakeUp(uint64_t call);

    /// @param worker of the job @return whether a process of it has steps to do
    bool IsRunning(uint32_t worker) const;

  private:
    /// What a worker is.
    enum class State : uint8_t
    {
        RUNNING,  //!< its process is at work
        STOPPED,  //!< its process has ended its last step
        WAITING,  //!< its host is there, without a process
        DOWN,     //!< its host is not there
        FINISHED, //!< it has nothing more to do
    };

    std::vector<uint32_t> List(State state) const;
    void EndProcesses();
    void StartLater();

    std::shared_ptr<const Elasticity> m_elasticity; //!< of the job
    ElasticLauncherHost& m_host;                    //!< the engine
    std::vector<State> m_states;                    //!< by worker
    std::vector<bool> m_hasModel; //!< by worker: has been there since the last beginning
    bool m_ending{false};         //!< processes have been told to end after their step
    bool m_over{false};           //!< somebody has done the last step
    uint64_t m_call{0};           //!< the one that counts
};

} // namespace ns3::dml

#endif /* DML_ELASTIC_LAUNCHER_H */
