/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAIR_SHARE_ENGINE_H
#define DML_FAIR_SHARE_ENGINE_H

#include "dml-bucket-negotiation.h"
#include "dml-event-heap.h"
#include "dml-fair-share-network.h"

#include "ns3/dml-batch-size-manager.h"
#include "ns3/dml-elastic-launcher.h"
#include "ns3/dml-step-executor.h"
#include "ns3/dml-training-run.h"
#include "ns3/dml-worker-loop.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

class TransferJoiner;
class WorkerWindows;

/**
 * @ingroup dml-fairshare
 * @brief The analytical engine: discrete events at the level of ops and chunks.
 *
 * Source: Li et al., ICPE 2020, Algorithm 3.1, as settled by DESIGN section 3. Deterministic:
 * simultaneous completions are handled one at a time in the order in which the chunks started.
 *
 * Several jobs may share the network. Their workers and servers are numbered on from job to job,
 * and so they are in records. The first job is the one that is run; the others repeat steps until
 * it ends.
 */
class FairShareEngine final : private StepHost, private WorkerHost, private ElasticLauncherHost
{
  public:
    /**
     * @param run what to run
     * @param network links, routes and sharing rule
     * @param observer told of everything; may be null, which is faster
     * @throws InputError if the network does not fit
     */
    FairShareEngine(TrainingRun run, FairShareNetwork network, RunObserver* observer);

    /**
     * @param jobs what to run, at least one; it ends when the first has done its steps
     * @param network links, routes and sharing rule
     * @param observer told of everything; may be null, which is faster
     * @throws InputError if the network does not fit
     */
    FairShareEngine(std::vector<TrainingRun> jobs, FairShareNetwork network, RunObserver* observer);
    ~FairShareEngine() override;

    /**
     * @brief Run until every worker of the first job has done all its steps.
     * @param progress called now and then with the fraction of steps that are done; may be empty
     * @throws RunError with the blocked ops if nothing can happen any more in the first job
     */
    void Run(const std::function<void(double)>& progress = {});

    /**
     * @brief Let the run end early.
     * @param rule asked after each step of the first job, once the observer was told; the run ends
     * when it says true
     */
    void StopWhen(std::function<bool()> rule)
    {
        m_stopRule = std::move(rule);
    }

    /// @return number of chunks and compute ops completed
    uint64_t GetCompletedChunks() const
    {
        return m_chunks;
    }

    /// @return number of payload bytes served, those of background flows apart
    uint64_t GetServedBytes() const
    {
        return m_bytes;
    }

    /// @return what happened to connections; none: the sharing rule knows rates only
    std::optional<TransportTotals> GetTransportTotals() const
    {
        return m_sharing->GetTotals();
    }

    /// @return the current time in seconds from the start of the run
    double GetNow() const override
    {
        return m_origin + m_now;
    }

  private:
    /// What happens at a known time.
    struct Pending
    {
        /// Kind of event.
        enum class Kind : uint8_t
        {
            TASK,         //!< op ends on its device
            NO_TIME,      //!< turn of flow op ends that crosses no link or has no bytes
            REQUESTED,    //!< senders of flow op learn what is wanted of it
            MOVE_WANTED,  //!< the sender of move op learns that it is wanted
            ARRIVAL,      //!< op arrives
            ANSWER,       //!< the worker hears from its servers
            REPORT,       //!< the worker's report on a step reaches who sets batch sizes
            BATCH,        //!< the worker learns the batch size op
            ACKNOWLEDGED, //!< its sender knows that op has arrived
            MOVE,         //!< the worker learns which samples to move
            WAKE_UP,      //!< the policy of flow op is to be asked again
            START,        //!< worker op starts
            LATE,         //!< worker op begins a step, by its loop's call owner
            CRASH,        //!< worker op dies; start: when it comes back
            REJOIN,       //!< worker op comes back
            JOIN,         //!< servers hear of that, if start is still the time for it
            RESTORE,      //!< the servers of the first job load a checkpoint
            LAUNCH,       //!< the launcher's call op
            BACKGROUND,   //!< background flow op goes on or off
            CAPACITY,     //!< change op of a link
            AGREE,        //!< a cycle of the owner's job ends, if start is still the time for it
            AGREED,       //!< the worker knows what it starts
        };

        Kind kind;         //!< kind
        bool live{false};  //!< whether it is of the first job; set by Schedule()
        uint32_t owner{0}; //!< number of an executor, from TASK to WAKE_UP and of AGREE, AGREED
        uint32_t op{0};    //!< op of the executor's plan, or as the kind says
        double start{0};   //!< seconds from the start of the run: when the task started, or as the
                           //!< kind says
    };

    /// Lets a job's workers go on.
    class JobListener : public SyncListener, public BatchSizeListener
    {
      public:
        JobListener(FairShareEngine& engine, uint32_t firstWorker)
            : m_engine(engine),
              m_firstWorker(firstWorker)
        {
        }

        void MayProceed(uint32_t worker, uint32_t step, uint32_t dropped) override
        {
            m_engine.MayProceed(m_firstWorker + worker, step, dropped);
        }

        void SetBatchSize(uint32_t worker, uint32_t batch) override
        {
            m_engine.SetBatchSize(m_firstWorker + worker, batch);
        }

      private:
        FairShareEngine& m_engine; //!< engine of the workers
        uint32_t m_firstWorker;    //!< number of the job's first worker
    };

    /// A plan of a job, and the flows that its workers have for it.
    struct PlanFlows
    {
        std::shared_ptr<const StepPlan> plan; //!< one of ListPlans()
        std::vector<uint32_t> channels;       //!< resources of a worker's flows
        std::vector<uint32_t> flowOf;         //!< by resource: its place among all of the worker's
    };

    /// One training job.
    struct Job
    {
        TrainingRun run;                             //!< what to run
        StreamWindowModel windows;                   //!< flow control
        JobRecorder recorder;                        //!< told of what it does
        uint32_t firstWorker;                        //!< number of its first worker
        std::vector<PlanFlows> plans{};              //!< as ListPlans() lists them
        uint32_t flows{0};                           //!< of a worker
        PlanFlows aggregation{};                     //!< of an aggregator
        FlowId firstAggregation{0};                  //!< flows of its aggregators lie together
        std::vector<StepExecutor*> aggregators{};    //!< by index: runs its steps
        std::vector<DeviceQueue*> sharedDevices{};   //!< by resource: queues of all its workers
        std::unique_ptr<JobListener> listener{};     //!< told by sync and batches
        std::unique_ptr<SyncServer> sync{};          //!< stands for all servers of the job
        std::unique_ptr<BatchSizeManager> batches{}; //!< null: batch sizes stay
        Ptr<WorkShedding> shedding{};                //!< null: samples stay in a step
        /// Null: collectives start in the order of the plan.
        std::unique_ptr<BucketNegotiation> negotiation{};
        double agreeAt{-1}; //!< when its next cycle with an agreement ends, s; below 0: not known
    };

    /// What servers tell a worker.
    struct Answer
    {
        bool returns;     //!< that it may take part again, not that a step has ended
        uint32_t done;    //!< step that it has done
        uint32_t step;    //!< with which it goes on
        uint32_t dropped; //!< gradients that came too late
    };

    /// What a worker tells who sets batch sizes.
    struct Report
    {
        uint32_t step;       //!< that it asks about
        WorkerReport report; //!< on the one before
    };

    /// One worker.
    struct Worker
    {
        Job* job;                        //!< job that it belongs to
        FlowId firstFlow;                //!< its flows lie together
        WorkerLoop loop;                 //!< its life
        StepExecutor* executor{nullptr}; //!< runs its steps
        /// What the worker will be told, and the step for which it asked.
        std::deque<std::pair<uint32_t, SampleMove>> moves{};
        std::deque<std::vector<Bucket>> agreed{}; //!< what it will know to start
        std::vector<Answer> answers{};            //!< under way to it
        std::vector<Report> reports{};            //!< under way from it
        std::vector<double> answerDelays{};       //!< by server: seconds that its answers take
        std::vector<double> callDelays{};         //!< by server: seconds that what it is told takes
        /// By server: when it did something for the worker last, in seconds from the start of the
        /// run; empty where this is not needed, or where servers do things for all workers
        /// together.
        std::vector<double> served{};
        double completed{-1};  //!< when its last step was, by all, in seconds from the start
        double stepStart[2]{}; //!< seconds from the start of the run; of step s at s % 2
        double joinsAt{-1};    //!< when servers hear that it is back, likewise
        uint32_t hollow{0};    //!< last steps that took no time
    };

    /// An executor, and whose it is.
    struct Runner
    {
        std::unique_ptr<StepExecutor> executor; //!< abandoned if the worker has crashed since
        Job* job;                               //!< whose it is
        uint32_t worker;                        //!< number; NO_INDEX: an aggregator
        FlowId firstFlow;                       //!< its flows lie together
        const std::vector<uint32_t>* flowOf;    //!< by resource of its plan: which one of them
    };

    /// A transfer's last turn whose bytes are under way; or an earlier turn of one.
    struct Arrival
    {
        bool completes;    //!< whether all of the transfer arrives with it
        bool acknowledged; //!< whether its sender wants to know
        uint32_t receiver; //!< number of an executor
        OpIndex op;        //!< the transfer, as the receiver numbers it
        uint32_t sender;   //!< number of an executor
        OpIndex sent;      //!< the transfer, as the sender numbers it
    };

    /// A flow of training: in one line of the caches, as those of thousands of workers are in none.
    struct alignas(64) FlowState
    {
        double delay;                    //!< seconds between the last byte served and arrived
        double returnDelay;              //!< seconds that a message takes the other way
        StepExecutor* executor{nullptr}; //!< of who sends on it now
        uint32_t resource;               //!< its channel in the plan
        bool local;                      //!< crosses no link
        bool first;                      //!< is of the first job
        bool active{false};              //!< has a turn in service that its sender has not ended
        bool dead{false};                //!< across a link that stays down
        std::vector<std::pair<double, OpIndex>> requests{}; //!< when its sender learns of them
    };

    /// A background flow at work.
    struct Background
    {
        OnOffTimes times; //!< of ON_OFF
        bool on{false};   //!< whether it is active
        bool over{false}; //!< whether it has stopped or sent all
    };

    int64_t GetInstant() const override
    {
        return m_originInstant + m_instant;
    }

    void StartTask(DeviceQueue& queue, const ComputeTask& task) override;
    void StartTurn(StepExecutor& executor, uint32_t resource, const Turn& turn) override;
    void WakeUp(StepExecutor& executor, uint32_t resource, double delay) override;
    bool IsRequested(StepExecutor& executor, OpIndex op) override;
    void RequestTransfer(StepExecutor& executor, OpIndex op) override;
    void OfferCollective(StepExecutor& executor, uint32_t collective) override;
    void BucketReduced(StepExecutor& executor, const Bucket& bucket) override;
    void StepCompleted(StepExecutor& executor, uint32_t step) override;

    double GetStepStart(uint32_t worker, uint32_t step) const override;
    void StepBegins(uint32_t worker, uint32_t step, uint32_t sample) override;
    void CallLater(uint32_t worker, double seconds, uint32_t call) override;
    void StepEnded(uint32_t worker, const StepRecord& record) override;
    void AskForBatchSize(uint32_t worker, uint32_t step, const WorkerReport& report) override;
    void ReportProgress(uint32_t worker, const SampleReport& report) override;
    void GiveSamples(uint32_t worker, uint32_t step, uint32_t given) override;
    void StepsSkipped(uint32_t worker, uint32_t from) override;
    void WorkerLeaves(uint32_t worker, bool early) override;
    void WorkerDied(uint32_t worker) override;
    void WorkerFinished(uint32_t worker) override;
    void WorkerStopped(uint32_t worker) override;

    void WakeLauncher(double delay, uint64_t call) override;
    void EndWorker(uint32_t worker) override;
    void EndAfterStep(const std::vector<uint32_t>& workers) override;
    void StartWorkers(const Membership& membership) override;
    void NothingLeft(uint32_t worker) override;
    void ModelLost(const std::string& text) override;

    /// Rank of what sees all else that happens at its instant, changes of links apart.
    static constexpr uint64_t BEHIND_OTHERS = uint64_t{1} << 62;

    void MakeJobs(std::vector<TrainingRun> jobs, RunObserver* observer);
    static void MakePlans(Job& job);
    void MakeFlows();
    void AddFlow(const Job& job, uint32_t resource);
    void MakeNegotiation(Job& job);
    void MakeDevices(Job& job);
    DeviceQueue* AddDevice(uint32_t slots, const DeviceSpeed* speed);
    std::vector<DeviceQueue*> MakeWorkerDevices(uint32_t worker, const StepPlan& plan);
    /// @param plan its place in Job::plans
    void MakeExecutor(uint32_t worker, uint32_t step, std::size_t plan = 0);
    void MakeAggregators(Job& job);
    /// An aggregator begins a step, unless it has done the last one.
    void BeginAggregation(StepExecutor& executor, const Job& job);
    void MayProceed(uint32_t worker, uint32_t step, uint32_t dropped);
    /// The servers have done what they tell the worker.
    void SendAnswer(uint32_t worker, const Answer& answer);
    void TakeAnswer(uint32_t worker);
    bool DelaysAnswers(const Job& job) const;
    void MakeAnswerDelays(uint32_t worker);
    /// An op has ended, which may be something that a server has done.
    void NoteServed(uint32_t runner, OpIndex op);
    void SetBatchSize(uint32_t worker, uint32_t batch);
    void TakeReport(uint32_t worker);
    /// The sender of a flow knows what is wanted of it by now.
    void HandleRequests(FlowId id);
    CoordinatorDelays GetCoordinatorDelays(uint32_t worker) const;
    void MoveSamples(uint32_t worker);
    void Crash(uint32_t worker, bool forGood);
    void Rejoin(uint32_t worker);
    void Join(uint32_t worker);
    void ScheduleStarts();
    void ScheduleAgreement(Job& job);
    void Agree(Job& job);
    void StartAgreed(uint32_t worker);
    /// @param owner and op and start as in Pending
    /// @param rank added to the number that settles who is first of an instant
    void Schedule(double time,
                  Pending::Kind kind,
                  uint32_t owner,
                  uint32_t op,
                  double start = 0,
                  uint64_t rank = 0);
    bool WillCrash(uint32_t worker) const;
    bool IsOfFirstJob(const Pending& pending) const;
    /// @return whether its time was given, in whole nanoseconds, and not computed
    static bool IsGiven(const Pending& pending);
    /// Called when what comes next is far from the origin of times, which then follows the clock: a
    /// double tells instants apart for some minutes only, and a job that starts after 10^6 s has
    /// the same ties as one that starts at once. It waits until as much has happened as it has to
    /// move.
    /// @param next instant of what comes next @return whether it has moved
    /// @throws RunError after LAST_INSTANT_SECONDS
    bool FollowClock(int64_t next);
    void HandleEvent();
    void HandleFlowEnd(const FlowEnd& end);
    /// @return seconds until which nothing but what flows do can happen
    double GetHorizon();
    void EndTurn(FlowId flow);
    void AcceptTurn(FlowId flow);
    /// @param sender executor of a transfer's sending end @param resource channel in its plan
    /// @param op the transfer there @param counterpart its number at the receiver; NO_INDEX: the
    /// same
    /// @return where it arrives, as the last turn of none yet
    Arrival MakeArrival(const StepExecutor& sender,
                        uint32_t resource,
                        OpIndex op,
                        OpIndex counterpart) const;
    void Arrive(const Arrival& arrival, double returnDelay);
    /// @return turns of a flow in service or under way
    std::size_t CountTurns(FlowId flow) const;
    FlowId GetFlow(const StepExecutor& executor, uint32_t resource) const;
    StepExecutor& GetPeer(const StepExecutor& executor, const Peer& peer) const;
    void TurnBackground(uint32_t index);
    void ChangeCapacity(const CapacityChange& change);
    void FindDeadFlows();
    [[noreturn]] void ThrowStalled() const;

    FairShareNetwork m_network; //!< links, routes, background
    RunObserver* m_observer;    //!< may be null
    /// Where transfers go from one executor to another; null: nowhere.
    std::unique_ptr<TransferJoiner> m_joiner;
    std::deque<Job> m_jobs; //!< the first is the one that is run
    std::vector<std::unique_ptr<WorkerWindows>>
        m_workerWindows;                                 //!< by number, where connections differ
    std::unique_ptr<BandwidthSharing> m_sharing;         //!< links at work
    std::vector<std::unique_ptr<DeviceQueue>> m_devices; //!< all compute queues
    std::vector<Worker> m_workers;                       //!< by number
    std::vector<Runner> m_runners;                       //!< by the executors' numbers
    std::vector<FlowState> m_flows;                      //!< flows of training, by id
    std::vector<std::deque<Arrival>> m_arrivals; //!< by flow: turns that were accepted and have not
                                                 //!< arrived; empty until there is one
    std::vector<Background> m_background;        //!< by index
    EventHeap<Pending> m_events;                 //!< what is to come
    double m_origin{0};         //!< of times, a whole number of seconds from the start of the run
    double m_now{0};            //!< seconds from the origin
    int64_t m_originInstant{0}; //!< of the origin
    int64_t m_instant{0};       //!< of m_now, from the origin
    uint64_t m_moveAfter{0};    //!< m_order from which on it may move
    uint64_t m_order{0};        //!< chunks and tasks started
    uint64_t m_chunks{0};       //!< chunks and tasks completed
    uint64_t m_bytes{0};        //!< payload served
    uint64_t m_stepsDone{0};    //!< of the first job's workers
    uint32_t m_finished{0};     //!< of these
    uint64_t m_liveEvents{0};   //!< events to come of the first job
    uint64_t m_liveFlows{0};    //!< its active flows that may end some day
    uint64_t m_changesLeft{0};  //!< of links
    bool m_notesServed{false};  //!< whether Worker::served is needed for anybody
    std::function<bool()> m_stopRule;            //!< may be empty
    bool m_stopped{false};                       //!< it has said true
    std::unique_ptr<ElasticLauncher> m_launcher; //!< of the first job; null: nobody starts again
};

} // namespace ns3::dml

#endif /* DML_FAIR_SHARE_ENGINE_H */
