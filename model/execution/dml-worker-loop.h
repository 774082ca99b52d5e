/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WORKER_LOOP_H
#define DML_WORKER_LOOP_H

#include "dml-step-sampler.h"
#include "dml-step-samples.h"
#include "dml-training-run.h"

#include "ns3/dml-batch-size-control.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-work-shedding.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dml
{

class StepExecutor;

/// How a worker gets its batch sizes.
enum class BatchSizes : uint8_t
{
    KEPT,        //!< they stay
    ASKED_FIRST, //!< it asks before a step, and waits for the answer
    ASKED_AHEAD, //!< it asks at the start of a step for that of the next one
};

/// @param run a run @return how its workers get their batch sizes
BatchSizes GetBatchSizes(const TrainingRun& run);

/**
 * @ingroup dml-execution
 * @brief What a WorkerLoop is given.
 */
struct WorkerSettings
{
    uint32_t number{0};                      //!< with the host, which gets it in all calls
    uint32_t worker{0};                      //!< index in the job
    uint32_t steps{1};                       //!< number of steps
    std::optional<StepSampler> sampler{};    //!< chooses profiled steps; must be set
    WorkerCompute compute{};                 //!< devices, and samples of the first step
    std::optional<StepJitter> jitter{};      //!< by how much steps are late; none: not at all
    uint32_t profiled{1};                    //!< samples per step of the profile
    BatchSizes batchSizes{BatchSizes::KEPT}; //!< how it gets its batch sizes
    std::optional<StepSamples> samples{};    //!< with shedding
};

/// @param run a run @param worker index @return the settings of that worker
WorkerSettings MakeWorkerSettings(const TrainingRun& run, uint32_t worker);

/**
 * @ingroup dml-execution
 * @brief What an engine does for a worker's life.
 */
class WorkerHost
{
  public:
    virtual ~WorkerHost() = default;

    /// @return the seconds from the start of the run
    virtual double GetNow() const = 0;

    /// @param number of the worker @param step one that is under way @return when it began, as
    /// GetNow()
    virtual double GetStepStart(uint32_t number, uint32_t step) const = 0;

    /**
     * @brief A step begins; the executor is told next.
     * @param number of the worker
     * @param step number
     * @param sample profiled step that it replays
     */
    virtual void StepBegins(uint32_t number, uint32_t step, uint32_t sample) = 0;

    /// @param number of the worker @param record a step that has ended, after the observer was told
    virtual void StepEnded(uint32_t number, const StepRecord& record) = 0;

    /**
     * @brief Ask for samples: WorkerLoop::SetBatchSize() has the answer, also from within.
     * @param number of the worker
     * @param step for which it asks
     * @param report on the step before
     */
    virtual void AskForBatchSize(uint32_t number, uint32_t step, const WorkerReport& report) = 0;

    /// @param number of the worker @param report for WorkShedding; WorkerLoop::MoveSamples() has
    /// the answer, also from within
    virtual void ReportProgress(uint32_t number, const SampleReport& report) = 0;

    /// @param number of the worker @param step in which it was asked to @param given samples given
    /// up
    virtual void GiveSamples(uint32_t number, uint32_t step, uint32_t given) = 0;

    /// @brief Steps were left out. @param number of the worker @param from the first of them
    virtual void StepsSkipped(uint32_t number, uint32_t from) = 0;

    /// @brief It does no more steps. @param number of the worker @param early whether it has left
    /// out the last one
    virtual void WorkerLeaves(uint32_t number, bool early) = 0;

    /// @brief Its process is gone. @param number of the worker
    virtual void WorkerDied(uint32_t number) = 0;

    /// @brief It has done its last step, or died for good. @param number of the worker
    virtual void WorkerFinished(uint32_t number) = 0;

    /**
     * @brief Call WorkerLoop::BeginLate() later.
     * @param number of the worker
     * @param seconds that much later
     * @param call for WorkerLoop::BeginLate()
     */
    virtual void CallLater(uint32_t number, double seconds, uint32_t call) = 0;

    /// @brief It has done the step after which it was to end (WorkerLoop::EndAfter()).
    /// @param number of the worker
    virtual void WorkerStopped([[maybe_unused]] uint32_t number)
    {
    }
};

/**
 * @ingroup dml-execution
 * @brief A worker's life, the same in all engines: begins steps, leaves some out, crashes, comes
 * back, asks for batch sizes, moves samples.
 *
 * A step ends when its own ops are done and it has got all answers that it waits for. Then the next
 * one begins; where steps overlap, when the executor allows it, and at most two are under way.
 */
class WorkerLoop
{
  public:
    /**
     * @param settings what it does
     * @param answers how many Answer()s a step waits for
     * @param host the engine; must outlive this
     * @param recorder told of steps, crashes and returns
     */
    WorkerLoop(WorkerSettings settings, uint32_t answers, WorkerHost& host, JobRecorder recorder);

    /// @param executor of its steps from now on, also after a crash; tells this what comes of them
    void SetExecutor(StepExecutor& executor);

    /// @brief Begin the first step, unless the worker has crashed since.
    void Start();

    /// @brief Begin the step that was late, unless something else has happened meanwhile.
    /// @param call as WorkerHost::CallLater() had it
    void BeginLate(uint32_t call);

    /// @brief It shall not begin steps any more: the run is over.
    void Stop()
    {
        m_stopped = true;
    }

    /**
     * @brief One of the answers that the end of a step waits for.
     * @param step its number
     * @param next step with which to go on; 0: the next one
     * @param dropped gradients of the step that came too late
     */
    void Answer(uint32_t step, uint32_t next, uint32_t dropped);

    /// @brief The executor has done the worker's ops of a step. @param step its number
    void StepCompleted(uint32_t step);

    /// @brief Where steps overlap, all ops that gate the next one are done. @param step theirs
    void NextStepAllowed(uint32_t step);

    /// @brief One of the worker's compute ops has ended; nothing that waits for it has been told.
    void ComputeOpEnded();

    /// @param batch samples of the step for which it asked
    void SetBatchSize(uint32_t batch);

    /// @param step in which it has reported @param move what it is told to do
    void MoveSamples(uint32_t step, const SampleMove& move);

    /// @brief The process dies. @param forGood whether it does not come back
    void Crash(bool forGood);

    /// @brief A new process comes up. @return whether it has to: it has not done all its steps
    bool Rejoin();

    /// @brief It may take part again. @param step with which, if that is not in the past
    void Return(uint32_t step);

    /// @brief Its process is ended by who has started it, with the step that is under way.
    void End();

    /// @brief Begin no further step for now.
    void Hold()
    {
        m_limit = m_begun;
    }

    /// @brief Begin no further step once so many are done or left out; WorkerHost::WorkerStopped()
    /// tells when, also from within. @param steps that many
    void EndAfter(uint32_t steps);

    /// @brief Begin again after End(), or Crash() and Rejoin(), in step with others, one of whom
    /// has the model. @param step with which
    void Restart(uint32_t step);

    /// @return number of steps that have gone into the model that it has
    uint32_t GetLearnt() const
    {
        return m_lost ? 0 : m_done;
    }

    /// @return whether it has come up again, and has not begun a step
    bool IsReturning() const
    {
        return m_returning;
    }

    /// @return whether it has crashed
    bool IsDown() const
    {
        return m_down;
    }

    /// @return whether it does nothing any more
    bool IsFinished() const
    {
        return m_finished;
    }

    /// @return number of steps done or left out
    uint32_t GetDone() const
    {
        return m_done;
    }

    /// @return number of steps begun or left out
    uint32_t GetBegun() const
    {
        return m_begun;
    }

    /// @return number of steps done
    uint32_t GetCount() const
    {
        return m_count;
    }

    /// @param step one that is under way @return answers that it still waits for
    uint32_t GetUnanswered(uint32_t step) const
    {
        return m_open[step % 2].unanswered;
    }

  private:
    static constexpr uint32_t NO_LIMIT = 0xffffffff;

    /// A step under way.
    struct OpenStep
    {
        uint32_t unanswered{0}; //!< answers to come
        bool completed{false};  //!< own ops of it are done
        uint32_t dropped{0};    //!< gradients of it that came too late
    };

    void BeginStep();
    void BeginNow();
    void BeginAllowed();
    void EndSteps();
    void RecordStep(uint32_t step);
    void GoOn();
    void SkipTo(uint32_t step);
    void AskForBatchSize();
    void Finish();
    void Die(bool ended);
    void BeginAgain(uint32_t step);

    WorkerSettings m_settings;         //!< what it does
    uint32_t m_answers;                //!< answers that a step waits for
    WorkerHost& m_host;                //!< the engine
    JobRecorder m_recorder;            //!< told of what happens
    StepExecutor* m_executor{nullptr}; //!< of its steps
    uint32_t m_batch;                  //!< samples of its step; 0: the profile's
    uint32_t m_nextBatch;              //!< samples of the next one, likewise
    double m_lastSeconds{0};           //!< of its last step, without waiting for others
    OpenStep m_open[2];                //!< steps under way: step s at s % 2
    uint32_t m_begun{0};               //!< steps begun or left out
    uint32_t m_allowed{1};             //!< steps that may begin
    uint32_t m_done{0};                //!< steps done or left out
    uint32_t m_count{0};               //!< steps done
    uint32_t m_next{0};                //!< step with which to go on, by the answers
    bool m_started{false};             //!< has begun, or come back
    bool m_stopped{false};             //!< begins no steps any more
    bool m_down{false};                //!< has crashed
    bool m_returning{false};           //!< is up again, and has not begun a step
    bool m_finished{false};            //!< does nothing any more
    bool m_lost{false};                //!< has crashed, and not begun again with others
    bool m_ends{false};                //!< its host is to be told when the limit is reached
    uint32_t m_calls{0};               //!< of WorkerHost::CallLater()
    uint32_t m_late{0};                //!< the one that begins a step; 0: none is late
    bool m_asks{false};                //!< for a batch size, when it has begun
    uint32_t m_limit{NO_LIMIT};        //!< of steps to begin
};

} // namespace ns3::dml

#endif /* DML_WORKER_LOOP_H */
