/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DEVICE_STEPS_H
#define DML_DEVICE_STEPS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A kernel, copy or fill that a device did for a host.
struct DeviceWork
{
    int64_t start{0};    //!< ns, on the device
    int64_t end{0};      //!< ns, at least `start`
    int64_t call{0};     //!< ns, when the host began to queue it
    int64_t queued{0};   //!< ns, when the host had done that
    uint32_t stream{0};  //!< number of the queue that it was in
    bool computes{true}; //!< false: it copies, or exchanges data with other workers
};

/// A call by which a host queued work for a device.
struct DeviceCall
{
    int64_t time{0};      //!< ns, when it began
    bool answered{false}; //!< the trace has what the device did for it
};

/// A step as the host marks it, and when the device that computes worked for it.
struct DeviceStep
{
    std::string place;    //!< "file: ProfilerStep#3", for messages
    int64_t hostStart{0}; //!< ns
    int64_t hostEnd{0};   //!< ns, after `hostStart`
    bool isShared{false}; //!< the host does ops of it, too: it lasts until both are done
    bool trains{true};    //!< it completes gradients, as no evaluation does
    int64_t start{0};     //!< ns, found: when the device began to work for it
    int64_t end{0};       //!< ns, found: when the device had done what it does for it
    bool complete{true};  //!< found: (nearly) all that it queued is in the trace
};

/**
 * @ingroup dml-import
 * @brief Find for each step from when to when the device that computes worked for it.
 *
 * A host queues work ahead of a device, which may still be busy with steps before; so a step is the
 * time from the end of the step before on the device to its own end there, which is the end of the
 * last piece of work that the host queued in it. Where the device waits for the host, that is the
 * host's period: what the host does after that piece counts to the next step. A shared step ends
 * with the host's step at the earliest, and starts with that at the earliest.
 *
 * The step before a trace's first one is not known, nor one whose work was lost. The step after
 * such a one begins when its first piece of work does if that had to wait for the device, which was
 * then busy with the step before, and otherwise where work on its stream of which the trace has no
 * call ended. Else the device was done with the step before some time ago: the step is
 * taken to begin as long after its begin on the host, or before it, as the other steps do (the
 * median). In a trace of one step, that is as long as it ends after its end on the host, or before
 * it. Steps between which the host did something else for more than 1 ms count as such ones, too,
 * and so do those behind one that trains where they do not, or the other way round.
 *
 * Several streams: the one with most computation (the main one) tells when a step's work begins. A
 * step ends when all streams are done, but for those that still work for a step when the main one
 * has begun with the next, in any step: they work beside the steps.
 *
 * Work is of the step in which the host queued it. A step is incomplete if the share of its calls
 * that have work in the trace is below 95 % of the highest one, or the work of its last call is
 * missing; where no call has, if it has fewer than 80 % of the pieces that most steps have.
 *
 * @param steps as the host marks them, by start, none overlaps another; get what is to be found
 * @param works all that the device did, in any order
 * @param calls all that queued work for it, in any order
 */
void FindDeviceSteps(std::vector<DeviceStep>& steps,
                     const std::vector<DeviceWork>& works,
                     const std::vector<DeviceCall>& calls);

/**
 * @ingroup dml-import
 * @brief Note that the host completed a gradient.
 * @param[in,out] steps by start
 * @param time ns, of the host
 */
void MarkTrainingAt(std::vector<DeviceStep>& steps, int64_t time);

} // namespace ns3::dml

#endif /* DML_DEVICE_STEPS_H */
