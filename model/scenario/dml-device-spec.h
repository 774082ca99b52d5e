/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DEVICE_SPEC_H
#define DML_DEVICE_SPEC_H

#include "ns3/dml-batch-model.h"
#include "ns3/dml-gpu-batch-model.h"
#include "ns3/dml-speed-process.h"
#include "ns3/dml-usage-trace-reader.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/// How a device's speed follows a file (`trace`).
struct SpeedTraceSpec
{
    std::string file;       //!< path of the CSV file, resolved like that of a profile; empty: none
    Time repeat{0};         //!< it begins again after that time; 0: its last speed stays
    UsageTraceFormat usage; //!< columns of a file that says what others use; no time: of speeds
};

/// How a device's speed changes at random (`changes`, `spikes`).
struct SpeedProcessSpec
{
    Time every{0};    //!< mean time to the next change, or spike; 0: there are none
    Time length{0};   //!< of a spike
    SpeedRange speed; //!< limits of the speed that is drawn
};

/**
 * @ingroup dml-scenario
 * @brief A class of devices: an entry of `job.devices`.
 */
struct DeviceSpec
{
    /// How the time of a step follows from its batch.
    enum class Kind
    {
        SPEED, //!< proportional; speed relative to the profile's device (`speed`)
        RATE,  //!< proportional; samples per second (`rate`)
        GPU,   //!< launching overhead, slope, floor (`launch`, `per_sample`, `floor`)
    };

    Kind kind{Kind::SPEED};                       //!< kind
    double speed{1};                              //!< for SPEED, above 0
    double rate{0};                               //!< for RATE: samples per second, above 0
    GpuStepTime time;                             //!< for GPU
    uint32_t largestBatch{BatchModel::UNLIMITED}; //!< samples per step that the memory holds
    uint32_t slots{0};                            //!< of each device; 0: as in the profile
    SpeedTraceSpec trace;                         //!< known changes of speed
    SpeedProcessSpec changes;                     //!< lasting ones, at random
    SpeedProcessSpec spikes;                      //!< short ones, at random
};

} // namespace ns3::dml

#endif /* DML_DEVICE_SPEC_H */
