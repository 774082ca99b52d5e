/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-wall-clock-simulator.h"

#include "ns3/dml-error.h"
#include "ns3/event-impl.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(WallClockSimulator);

namespace
{

/// Numbers of events with a meaning, in all releases of ns-3.
constexpr uint32_t DESTROY_UID = 2;
constexpr uint32_t FIRST_UID = 4;

constexpr int64_t NANOSECONDS = 1000000000;

/// @param result of a system call @param what it was to do @return it @throws RunError if it failed
int
CheckCall(int result, const char* what)
{
    if (result < 0)
    {
        throw RunError(std::string("cannot ") + what + ": " + std::strerror(errno));
    }
    return result;
}

/// Take the number out of an eventfd or a timerfd that is ready.
void
Drain(int file)
{
    uint64_t number = 0;
    [[maybe_unused]] const auto size = read(file, &number, sizeof(number));
}

} // namespace

TypeId
WallClockSimulator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::WallClockSimulator")
                            .SetParent<SimulatorImpl>()
                            .SetGroupName("Dml")
                            .AddConstructor<WallClockSimulator>();
    return tid;
}

WallClockSimulator::WallClockSimulator()
    : m_events(CreateObject<MapScheduler>()),
      m_epoll(CheckCall(epoll_create1(EPOLL_CLOEXEC), "wait for files")),
      m_timer(
          CheckCall(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "make a timer")),
      m_wake(CheckCall(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "make an eventfd")),
      m_origin(ReadClock()),
      m_uid(FIRST_UID)
{
    Watch(m_timer, EPOLLIN, [this](uint32_t) { Drain(m_timer); });
    Watch(m_wake, EPOLLIN, [this](uint32_t) { RunPosted(); });
}

WallClockSimulator::~WallClockSimulator() = default;

void
WallClockSimulator::DoDispose()
{
    for (const int file : {m_epoll, m_timer, m_wake})
    {
        close(file);
    }
    SimulatorImpl::DoDispose();
}

WallClockSimulator&
WallClockSimulator::Get()
{
    const auto simulator = DynamicCast<WallClockSimulator>(Simulator::GetImplementation());
    if (!simulator)
    {
        throw RunError("sockets of the kernel want a WallClockSimulator");
    }
    return *simulator;
}

int64_t
WallClockSimulator::ReadClock()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

void
WallClockSimulator::SetOrigin(int64_t clock)
{
    m_origin = clock;
    m_now = std::max<int64_t>(0, ReadTime());
}

void
WallClockSimulator::Watch(int file, uint32_t events, std::function<void(uint32_t)> ready)
{
    epoll_event event{};
    event.events = events;
    event.data.fd = file;
    const bool known = m_watches.count(file) > 0;
    CheckCall(epoll_ctl(m_epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, file, &event),
              "watch a file");
    m_watches[file] = std::move(ready);
}

void
WallClockSimulator::Unwatch(int file)
{
    if (m_watches.erase(file) > 0)
    {
        epoll_ctl(m_epoll, EPOLL_CTL_DEL, file, nullptr);
    }
}

void
WallClockSimulator::Post(std::function<void()> work)
{
    {
        const std::lock_guard lock(m_mutex);
        m_posted.push_back(std::move(work));
    }
    const uint64_t one = 1;
    [[maybe_unused]] const auto size = write(m_wake, &one, sizeof(one));
}

void
WallClockSimulator::RunPosted()
{
    Drain(m_wake);
    std::vector<std::function<void()>> posted;
    {
        const std::lock_guard lock(m_mutex);
        posted.swap(m_posted);
    }
    for (const auto& work : posted)
    {
        work();
    }
}

void
WallClockSimulator::Destroy()
{
    while (!m_destroyEvents.empty())
    {
        const EventId id = m_destroyEvents.front();
        m_destroyEvents.pop_front();
        if (!id.PeekEventImpl()->IsCancelled())
        {
            id.PeekEventImpl()->Invoke();
        }
    }
    // what they hold may still ask for this simulator, which is gone when it is disposed of
    while (!m_events->IsEmpty())
    {
        m_events->RemoveNext().impl->Unref();
    }
    std::map<int, Ready> watches;
    watches.swap(m_watches);
}

WallClockSimulator::StopResult
WallClockSimulator::Stop(const Time& delay)
{
    return static_cast<StopResult>(Simulator::Schedule(delay, &Simulator::Stop));
}

EventId
WallClockSimulator::Insert(uint32_t context, const Time& delay, EventImpl* event)
{
    Scheduler::Event entry;
    entry.impl = event;
    entry.key.m_ts = m_now + delay.GetNanoSeconds();
    entry.key.m_context = context;
    entry.key.m_uid = m_uid++;
    m_events->Insert(entry);
    return EventId(event, entry.key.m_ts, context, entry.key.m_uid);
}

EventId
WallClockSimulator::ScheduleDestroy(EventImpl* event)
{
    m_destroyEvents.emplace_back(Ptr<EventImpl>(event, false), m_now, 0xffffffff, DESTROY_UID);
    return m_destroyEvents.back();
}

void
WallClockSimulator::Remove(const EventId& id)
{
    if (id.GetUid() == DESTROY_UID)
    {
        m_destroyEvents.remove(id);
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    Scheduler::Event entry;
    entry.impl = id.PeekEventImpl();
    entry.key.m_ts = id.GetTs();
    entry.key.m_context = id.GetContext();
    entry.key.m_uid = id.GetUid();
    m_events->Remove(entry);
    entry.impl->Cancel();
    entry.impl->Unref();
}

void
WallClockSimulator::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
WallClockSimulator::IsExpired(const EventId& id) const
{
    if (!id.PeekEventImpl() || id.PeekEventImpl()->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == DESTROY_UID)
    {
        return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) ==
               m_destroyEvents.end();
    }
    const auto now = static_cast<uint64_t>(m_now);
    return id.GetTs() < now || (id.GetTs() == now && id.GetUid() <= m_currentUid);
}

void
WallClockSimulator::Run()
{
    m_stop = false;
    while (!m_stop)
    {
        RunDue(ReadTime());
        if (!m_stop)
        {
            WaitForFiles();
        }
    }
}

void
WallClockSimulator::RunDue(int64_t time)
{
    while (!m_stop && !m_events->IsEmpty() &&
           static_cast<int64_t>(m_events->PeekNext().key.m_ts) <= time)
    {
        RunNext();
    }
}

void
WallClockSimulator::RunNext()
{
    const Scheduler::Event next = m_events->RemoveNext();
    const auto time = static_cast<int64_t>(next.key.m_ts);
    if (time > m_now)
    {
        const Time late = NanoSeconds(ReadTime() - time);
        ++m_lateness.timers;
        m_lateness.total += late;
        m_lateness.largest = Max(m_lateness.largest, late);
    }
    m_now = std::max(m_now, time);
    m_context = next.key.m_context;
    m_currentUid = next.key.m_uid;
    ++m_count;
    next.impl->Invoke();
    next.impl->Unref();
}

void
WallClockSimulator::WaitForFiles()
{
    constexpr int MOST = 64;
    std::array<epoll_event, MOST> ready{};
    SetTimer();
    const int count = epoll_wait(m_epoll, ready.data(), MOST, -1);
    for (int i = 0; i < count && !m_stop; ++i)
    {
        // what was to happen before comes before
        const int64_t time = ReadTime();
        RunDue(time);
        const auto watch = m_watches.find(ready[i].data.fd);
        if (m_stop || watch == m_watches.end())
        {
            continue;
        }
        m_now = std::max(m_now, time);
        m_currentUid = m_uid - 1;         // what is due in this very instant has run
        const Ready call = watch->second; // which may replace itself
        call(ready[i].events);
    }
}

void
WallClockSimulator::SetTimer()
{
    itimerspec when{}; // zero: never
    if (!m_events->IsEmpty())
    {
        // a time of 0 would stop the timer
        const auto time = std::max<int64_t>(1, m_origin + m_events->PeekNext().key.m_ts);
        when.it_value.tv_sec = time / NANOSECONDS;
        when.it_value.tv_nsec = time % NANOSECONDS;
    }
    timerfd_settime(m_timer, TFD_TIMER_ABSTIME, &when, nullptr);
}

Time
WallClockSimulator::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? Time(0) : NanoSeconds(id.GetTs() - m_now);
}

void
WallClockSimulator::SetScheduler(ObjectFactory schedulerFactory)
{
    const auto scheduler = schedulerFactory.Create<Scheduler>();
    while (!m_events->IsEmpty())
    {
        scheduler->Insert(m_events->RemoveNext());
    }
    m_events = scheduler;
}

} // namespace ns3::dml
