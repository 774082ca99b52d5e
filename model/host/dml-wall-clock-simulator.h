/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WALL_CLOCK_SIMULATOR_H
#define DML_WALL_CLOCK_SIMULATOR_H

#include "ns3/nstime.h"
#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// How late timers were: what a machine adds to the lengths of compute ops.
struct TimerLateness
{
    uint64_t timers{0}; //!< timers that ran
    Time total;         //!< sum
    Time largest;       //!< of one timer
};

/**
 * @ingroup dml-host
 * @brief A simulator that is none: its time is the clock of this machine, its events are timers,
 * and it waits for files.
 *
 * What was written for ns-3's Simulator runs on it in real time: events run when the clock has
 * come to their time, and sockets of the kernel wake their owners (Watch()). One thread runs
 * everything; others leave what they have for it with Post().
 *
 * An event sees the time for which it was scheduled, although it runs a little later, so that the
 * lateness of timers that follow one another does not add up; a file's owner sees the clock.
 */
class WallClockSimulator : public SimulatorImpl
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    WallClockSimulator();
    ~WallClockSimulator() override;

    /// @return the simulator of this process @throws RunError if it is another one
    static WallClockSimulator& Get();

    /// @return the machine's clock (CLOCK_MONOTONIC), in ns
    static int64_t ReadClock();

    /// @param clock value of ReadClock() at which its time was or will be 0; before the first event
    void SetOrigin(int64_t clock);

    /// @brief Called when a file is ready; the second call for a file replaces the first.
    /// @param file descriptor @param events of epoll_ctl(2), such as EPOLLIN
    /// @param ready told which events there are
    void Watch(int file, uint32_t events, std::function<void(uint32_t)> ready);
    /// @param file that need not be watched any more; before it is closed
    void Unwatch(int file);

    /// @brief Let the thread that is in Run() call something, soon. From any thread.
    /// @param work what to call
    void Post(std::function<void()> work);

    /// @return how late timers were so far
    const TimerLateness& GetLateness() const
    {
        return m_lateness;
    }

    void Destroy() override;

    bool IsFinished() const override
    {
        return m_stop;
    }

    void Stop() override
    {
        m_stop = true;
    }

    /// What ns-3's releases return: nothing, or the event.
    using StopResult = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));
    StopResult Stop(const Time& delay) override;

    EventId Schedule(const Time& delay, EventImpl* event) override
    {
        return Insert(m_context, delay, event);
    }

    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override
    {
        Insert(context, delay, event);
    }

    EventId ScheduleNow(EventImpl* event) override
    {
        return Insert(m_context, Time(0), event);
    }

    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;

    Time Now() const override
    {
        return NanoSeconds(m_now);
    }

    Time GetDelayLeft(const EventId& id) const override;

    Time GetMaximumSimulationTime() const override
    {
        return NanoSeconds(std::numeric_limits<int64_t>::max());
    }

    void SetScheduler(ObjectFactory schedulerFactory) override;

    uint32_t GetSystemId() const override
    {
        return 0;
    }

    uint32_t GetContext() const override
    {
        return m_context;
    }

    uint64_t GetEventCount() const override
    {
        return m_count;
    }

  private:
    void DoDispose() override;

    int64_t ReadTime() const
    {
        return ReadClock() - m_origin;
    }

    EventId Insert(uint32_t context, const Time& delay, EventImpl* event);
    void RunDue(int64_t time);
    void RunNext();
    void WaitForFiles();
    void SetTimer();
    void RunPosted();

    /// Whom to call for a file.
    using Ready = std::function<void(uint32_t)>;

    Ptr<Scheduler> m_events;                     //!< by time
    std::list<EventId> m_destroyEvents;          //!< to run in Destroy()
    std::map<int, Ready> m_watches;              //!< by file
    std::mutex m_mutex;                          //!< of what is posted
    std::vector<std::function<void()>> m_posted; //!< from other threads
    int m_epoll{-1};                             //!< what waits for all files
    int m_timer{-1};                             //!< timerfd: the next event
    int m_wake{-1};                              //!< eventfd: something was posted
    int64_t m_origin{0};                         //!< of the clock
    int64_t m_now{0};                            //!< ns from there, as an event sees it
    uint32_t m_context{0xffffffff};              //!< of the event that runs
    uint32_t m_uid;                              //!< of the next event
    uint32_t m_currentUid{0};                    //!< of the event that runs
    uint64_t m_count{0};                         //!< events that ran
    bool m_stop{false};                          //!< Run() shall end
    TimerLateness m_lateness;                    //!< so far
};

} // namespace ns3::dml

#endif /* DML_WALL_CLOCK_SIMULATOR_H */
