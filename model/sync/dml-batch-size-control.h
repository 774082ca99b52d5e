/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BATCH_SIZE_CONTROL_H
#define DML_BATCH_SIZE_CONTROL_H

#include "ns3/object.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief What a worker tells at the end of a step.
 */
struct WorkerReport
{
    bool present{true}; //!< false: the worker is gone, and nothing else of this counts
    uint32_t batch{0};  //!< samples of the step just done, at least 1
    /// That the step just done took, without waiting for others; 0: it has done none since it
    /// joined.
    double seconds{0};
    double cpu{1};    //!< share of the processor that it has in the step to come, 0 to 1
    double memory{1}; //!< share of the memory that it has in the step to come, 0 to 1
    double used{0};   //!< share of its memory that samples fill, 0 to 1; 0 where they set no limit
    uint32_t largest{std::numeric_limits<uint32_t>::max()}; //!< most samples that its memory holds
};

/**
 * @ingroup dml-sync
 * @brief Chooses how many samples each worker computes in its next step (LB-BSP).
 *
 * One object serves one run of one job; both engines drive it in the same way, with one Update() at
 * the end of each step of bulk-synchronous training. The samples of a step are only moved between
 * workers: their number stays. That workers' gradients then count by their batch sizes (weighted
 * aggregation) changes nothing that is modelled here, because learning is not. Derived classes
 * register a TypeId and are made by ObjectFactory.
 *
 * Source: Chen et al., "Semi-Dynamic Load Balancing" (LB-BSP), SoCC 2020, section 3.
 */
class BatchSizeControl : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @return true if a worker waits for its batch size before a step; false if it takes the last
    /// one that it has got (LB-BSP, section 4)
    virtual bool IsBlocking() const = 0;

    /**
     * @brief A step has ended.
     * @param reports by worker; always of the same number of workers
     * @return samples of each worker's next step: at least 1 each, 0 of a worker that is gone; the
     * sum is that of the reports of those present
     */
    virtual std::vector<uint32_t> Update(const std::vector<WorkerReport>& reports) = 0;
};

} // namespace ns3::dml

#endif /* DML_BATCH_SIZE_CONTROL_H */
