/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_BUCKETS_H
#define DML_TORCH_BUCKETS_H

#include "dml-torch-run.h"

#include "ns3/dml-import-result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// @param trace of a worker @return its number, if the file tells or its name does (`rank0`)
std::optional<uint32_t> FindTorchRank(const TorchTrace& trace);

/**
 * @ingroup dml-import
 * @brief Finds the buckets in which the steps of one or several workers' traces reduced gradients.
 *
 * DistributedDataParallel reduces the same buckets in every step but the first one it sees, so the
 * buckets are those of most steps. A gradient is in the bucket that is asked for when it is
 * complete, or in a later one, if the bytes of all buckets then come out right (MatchGradients()),
 * which some step has to show; else tensors of buckets stay unknown.
 *
 * A collective's length includes waiting for the slowest worker (Hu et al., dPRO, MLSys 2022).
 * Where traces of several workers are there, the transfer itself is the shortest that any of them
 * recorded of the same collective of the same step. That needs no common clock.
 */
class TorchBucketFinder
{
  public:
    /// @param trace of one worker, the next one
    void AddTrace(const TorchTrace& trace);

    /**
     * @brief Add a step of one of the traces.
     * @param trace number of the trace, from 0
     * @param place of the step, as "file: ProfilerStep#3"
     * @param found what it moves
     */
    void AddStep(std::size_t trace, const std::string& place, const TorchStepTensors& found);

    /**
     * @brief Tell the protocol, and the profile its buckets.
     * @param result has a valid profile, and gets the protocol, rules and warnings
     */
    void Finish(ImportResult& result);

  private:
    /// A step that reduced gradients.
    struct Step
    {
        std::size_t trace{0};                            //!< index of its trace
        std::string place;                               //!< for messages
        std::string name;                                //!< as "ProfilerStep#3"
        std::vector<uint64_t> sizes;                     //!< bytes of each bucket, in their order
        std::vector<int64_t> lengths;                    //!< ns, of each; 0 if unknown
        std::vector<std::vector<std::string>> gradients; //!< of each bucket, by time
        std::vector<uint64_t> bytes;                     //!< of these
        std::vector<std::string> alone;                  //!< gradients in no bucket
        bool exact{false};                               //!< these have the bytes of the buckets
    };

    /// Leave out steps with other buckets than most. @param result gets a warning of each
    void KeepCommonSteps(ImportResult& result);
    /// @return gradients of each bucket, or nothing; @param result gets a rule or a warning
    std::vector<std::vector<std::string>> FindTensors(ImportResult& result) const;
    /// Tell times. @param found gets them; @param result gets a rule or a warning
    void SetTimes(FoundProtocol& found, ImportResult& result) const;
    /// Tell who took part. @param found gets it; @param result gets a warning if groups differ
    void SetGroup(FoundProtocol& found, ImportResult& result) const;
    std::vector<std::optional<uint32_t>> m_ranks; //!< of each trace
    std::vector<Step> m_steps;                    //!< of all traces
    std::string m_backend;                        //!< library of collectives that the files name
    uint32_t m_workers{0};                        //!< of the job, or 0 if unknown
    /// Bytes of gradients by the size of the group in which they were reduced, 0 if unknown.
    std::map<uint32_t, uint64_t> m_groups;
    std::map<std::string, uint64_t> m_backends; //!< the same by library
    std::map<std::string, uint64_t> m_untyped;  //!< all-reduces of unknown element types
    std::vector<std::pair<std::string, uint64_t>> m_others; //!< other collectives
};

} // namespace ns3::dml

#endif /* DML_TORCH_BUCKETS_H */
