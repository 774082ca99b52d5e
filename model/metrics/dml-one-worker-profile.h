/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ONE_WORKER_PROFILE_H
#define DML_ONE_WORKER_PROFILE_H

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief What a run with one worker tells the baselines: means per step.
 */
struct OneWorkerMeans
{
    uint64_t steps{0};       //!< steps that were averaged; 0: nothing is known
    double step{0};          //!< duration of a step, s
    double downlinkPhase{0}; //!< step start to last downlink byte, s
    double computePhase{0};  //!< last downlink byte to first uplink byte, 0 if they overlap, s
    double uplinkPhase{0};   //!< first to last uplink byte, s
    double updatePhase{0};   //!< last uplink byte to step end, s
    double busy{0};          //!< compute, update and parsing time, overlapping or not, s
    /// Half of the bytes, of both directions together, that the most loaded server exchanges with
    /// the worker: the size of its part of the model where every pull has a push.
    double bytesOneWay{0};
    /// Of downlinkPhase, what messages are on links without being served, s.
    double downlinkDelay{0};
    /// Likewise of uplinkPhase, s.
    double uplinkDelay{0};
    double turns{0}; //!< chunks on links: one for each transfer, more where windows cut them
};

/**
 * @ingroup dml-metrics
 * @brief Collects OneWorkerMeans from the records of a one-worker run of the fair-share engine.
 *
 * The phases are those that Lin et al. read from a packet capture: "the time interval between
 * the end of the downlink transmission and the start of the uplink transmission is interpreted as
 * the single worker's computation" (Li et al., ICPE 2020, section 1). Where uplink and downlink
 * overlap the compute phase is 0 and the phases add up to more than the step; the model does not
 * know overlap. A step without downlink transfers has its downlink phase end at its start; one
 * without uplink transfers has its uplink phase start and end at its end.
 *
 * Busy time sums the chunks on devices, servers and parsers (parsing included), each counted in
 * full even if several run at the same time.
 *
 * Records may come in any order. Memory: about 100 bytes per step.
 */
class OneWorkerProfile : public RunListener<OneWorkerProfile>
{
  public:
    /// @param warmup number of first steps that are left out
    explicit OneWorkerProfile(uint32_t warmup = 0);

    /// @param record a step that ended; @throws RunError if it is not of worker 0
    void On(const StepRecord& record);
    /// @param record a transfer
    void On(const TransferRecord& record);
    /// @param record a chunk
    void On(const ChunkRecord& record);

    /// @return the means over all steps that ended, the first @c warmup left out
    OneWorkerMeans GetMeans() const;

  private:
    /// One step; extremes start so that any record replaces them.
    struct Step
    {
        bool ended{false}; //!< whether start and end are known
        double start{0};   //!< s
        double end{0};     //!< s
        double lastDown{-std::numeric_limits<double>::infinity()}; //!< last downlink byte, s
        double firstUp{std::numeric_limits<double>::infinity()};   //!< first uplink byte, s
        double lastUp{-std::numeric_limits<double>::infinity()};   //!< last uplink byte, s
        double busy{0};                                            //!< s
        std::vector<uint64_t> bytes;                               //!< both directions, per server
        uint64_t turns{0};                                         //!< chunks on links
    };

    /// @param step index; @return that step's entry
    Step& At(uint32_t step);

    uint32_t m_warmup;         //!< first steps to leave out
    std::vector<Step> m_steps; //!< by index
};

} // namespace ns3::dml

#endif /* DML_ONE_WORKER_PROFILE_H */
