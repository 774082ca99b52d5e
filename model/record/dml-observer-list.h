/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OBSERVER_LIST_H
#define DML_OBSERVER_LIST_H

#include "dml-run-observer.h"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <variant>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-record
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
        for (std::size_t kind = 0; observer && kind < m_observers.size(); ++kind)
        {
            if (observer->Hears(kind))
            {
                m_observers[kind].push_back(observer);
            }
        }
    }

    void Observe(const RunRecord& record) override
    {
        for (auto* observer : m_observers[record.event.index()])
        {
            observer->Observe(record);
        }
    }

  private:
    /// By kind of record; not owned.
    std::array<std::vector<RunObserver*>, std::variant_size_v<RunEvent>> m_observers;
};

} // namespace ns3::dml

#endif /* DML_OBSERVER_LIST_H */
