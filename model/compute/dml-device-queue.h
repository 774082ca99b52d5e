/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DEVICE_QUEUE_H
#define DML_DEVICE_QUEUE_H

#include "dml-device-speed.h"

#include "ns3/dml-op.h"

#include <boost/circular_buffer.hpp>
#include <optional>

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief One op that a device shall run.
 */
struct ComputeTask
{
    uint32_t owner{0};    //!< number of the executor that submitted it
    OpIndex op{NO_INDEX}; //!< op, in the numbering of the owner's step plan
    int64_t ready{0};     //!< instant in which it was submitted
    double seconds{0};    //!< duration at speed 1
};

/**
 * @ingroup dml-compute
 * @brief A compute device: a number of slots, and a queue in order of ready time.
 *
 * It knows no clock: Submit() and Finish() return the task that starts now, if one does, and the
 * engine calls Finish() when that task's time is over. Ties in ready time go by the op's place in
 * the listing. A slot stays taken until Finish(), so that what a finished op releases queues
 * behind it.
 */
class DeviceQueue
{
  public:
    /**
     * @param slots tasks that run at the same time, at least 1
     * @param speed of each slot; null: always 1; it must outlive the queue
     */
    explicit DeviceQueue(uint32_t slots = 1, const DeviceSpeed* speed = nullptr);

    /**
     * @brief A task became ready. Ready times must not decrease from call to call.
     * @param task the task
     * @return the task itself if it starts now
     */
    std::optional<ComputeTask> Submit(const ComputeTask& task);

    /**
     * @brief A running task ended: its slot takes the next one.
     * @return the task that starts now, if any
     */
    std::optional<ComputeTask> Finish();

    /// @return how fast it is; null: always 1
    const DeviceSpeed* GetSpeed() const
    {
        return m_speed;
    }

    /// @param start seconds @param task that starts then @return seconds that it takes; may be
    /// infinite
    double GetDuration(double start, const ComputeTask& task) const
    {
        return m_speed ? FindWorkSeconds(*m_speed, start, task.seconds) : task.seconds;
    }

  private:
    const DeviceSpeed* m_speed;                       //!< may be null
    uint32_t m_free;                                  //!< slots without a task
    boost::circular_buffer<ComputeTask> m_waiting{8}; //!< by ready time, then listing order
};

} // namespace ns3::dml

#endif /* DML_DEVICE_QUEUE_H */
