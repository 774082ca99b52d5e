/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OBSERVER_LIST_H
#define DML_OBSERVER_LIST_H

#include "dml-run-observer.h"

#include <initializer_list>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief Passes every record to several observers, in the order in which they were added.
 *
 * The observers stay the caller's and must outlive the list's use.
 */
class ObserverList : public RunObserver
{
  public:
    /// @param observers first members; null pointers are left out
    ObserverList(std::initializer_list<RunObserver*> observers = {})
    {
        for (auto* observer : observers)
        {
            Add(observer);
        }
    }

    /// @param observer appended; a null pointer is left out
    void Add(RunObserver* observer)
    {
        if (observer)
        {
            m_observers.push_back(observer);
        }
    }

    void StepEnded(const StepRecord& record) override
    {
        Tell(&RunObserver::StepEnded, record);
    }

    void WorkerCrashed(const CrashRecord& record) override
    {
        Tell(&RunObserver::WorkerCrashed, record);
    }

    void WorkerRejoined(const RejoinRecord& record) override
    {
        Tell(&RunObserver::WorkerRejoined, record);
    }

    void TransferEnded(const TransferRecord& record) override
    {
        Tell(&RunObserver::TransferEnded, record);
    }

    void ChunkEnded(const ChunkRecord& record) override
    {
        Tell(&RunObserver::ChunkEnded, record);
    }

    void LinkUsed(const LinkRecord& record) override
    {
        Tell(&RunObserver::LinkUsed, record);
    }

    void FlowUsed(const FlowRecord& record) override
    {
        Tell(&RunObserver::FlowUsed, record);
    }

  private:
    /// Call a method of every observer.
    template <typename Record>
    void Tell(void (RunObserver::*method)(const Record&), const Record& record)
    {
        for (auto* observer : m_observers)
        {
            (observer->*method)(record);
        }
    }

    std::vector<RunObserver*> m_observers; //!< not owned
};

} // namespace dml
} // namespace ns3

#endif /* DML_OBSERVER_LIST_H */
