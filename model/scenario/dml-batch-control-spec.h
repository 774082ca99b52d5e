/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BATCH_CONTROL_SPEC_H
#define DML_BATCH_CONTROL_SPEC_H

#include "ns3/dml-plugin-kind.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/// How workers' batch sizes change from step to step (`job.batch_control`); the defaults are
/// LB-BSP's.
struct BatchControlSpec
{
    std::string rule{"off"}; //!< "off", "cpu" (AnalyticalBatchSize) or "gpu" (IterativeBatchSize)

    // cpu
    std::string predictor{"narx"};        //!< of SpeedPredictors(): a name, or a TypeId
    PluginAttributes predictorAttributes; //!< of a TypeId
    double alpha{0.2};                    //!< for "ema", and what trained ones start with; 0 to 1
    uint32_t warmup{500};                 //!< steps before trained ones predict

    // gpu
    uint32_t step{5};         //!< samples that move, at least 1
    uint32_t window{5};       //!< steps to observe, at least 1
    uint32_t fineStep{1};     //!< step of fine-tuning
    uint32_t fineWindow{20};  //!< window of fine-tuning
    double memoryGuard{0.95}; //!< share of the memory, 0 to 1
};

/// How samples move between workers in the middle of a step (`job.shedding`).
struct SheddingSpec
{
    bool on{false};       //!< `off`, or a map of the rest
    uint32_t checks{100}; //!< per step, at least 1
    double lag{0.2};      //!< share of a step, from 0
    double share{0.025};  //!< of a worker's samples, 0 to 1
    Time cost{0};         //!< of a check
};

} // namespace ns3::dml

#endif /* DML_BATCH_CONTROL_SPEC_H */
