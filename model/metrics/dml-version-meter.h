/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_VERSION_METER_H
#define DML_VERSION_METER_H

#include "dml-crash-meter.h"

#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief A gradient that has been applied. Its tensor begins as version 0; the n-th update makes
 * version n.
 */
struct AppliedGradient
{
    uint32_t worker; //!< that computed it; NO_INDEX: a crash of a server brought @c read back
    uint32_t step;   //!< of the worker, from 0; NO_INDEX likewise
    uint32_t tensor; //!< index in the profile
    uint64_t read;   //!< version of the tensor on which it was computed
    uint64_t made;   //!< version that has it in it; joint updates have several gradients
    double time;     //!< when that version was there, seconds from the start of the run
};

/// Where the parameters are that gradients change.
enum class ParameterCopies : uint8_t
{
    ON_SERVERS, //!< one copy
    ON_WORKERS, //!< one each, which are equal after each step
};

/**
 * @ingroup dml-metrics
 * @brief Finds out on which version of the parameters each gradient was computed.
 *
 * A worker has the version of a tensor that its server had when the first byte of its last pull
 * went out; that of a moment in which an update ends is the new one. A tensor that is never pulled
 * stays at version 0 on the workers. A gradient is applied when its update ends, and on arrival if
 * the profile has no update of it. Gradients that came too late are in no version.
 *
 * When a server crashes, all tensors get another version, which is the one of the checkpoint; what
 * was being updated is lost.
 *
 * With a copy on each worker, step n turns version n into version n + 1.
 */
class VersionMeter : public RunListener<VersionMeter>
{
  public:
    /// Told of gradients, by time.
    using Callback = std::function<void(const AppliedGradient&)>;

    /**
     * @param profile of the job; must outlive this
     * @param copies of the parameters
     * @param crashes of servers, by time
     * @param callback called for each gradient
     */
    VersionMeter(const Profile& profile,
                 ParameterCopies copies,
                 std::vector<ServerCrash> crashes,
                 Callback callback);

    void On(const TransferRecord& record);
    void On(const GradientRecord& record);
    void On(const ChunkRecord& record);
    void On(const StepRecord& record);
    void On(const ServerCrashRecord& record);

  private:
    /// A tensor of the profile.
    struct Parameters
    {
        bool pushed{false};         //!< gradients of it are sent
        bool updated{false};        //!< there is an update of it
        std::vector<double> made{}; //!< when version n + 1 was there, s
    };

    /// A gradient that a joint update has taken.
    struct Taken
    {
        uint32_t worker; //!< of it
        uint32_t step;   //!< of it
        uint64_t read;   //!< version
    };

    uint64_t GetRead(uint32_t worker, uint32_t tensor) const;
    uint64_t GetVersion(uint32_t tensor, double time) const;
    void Apply(uint32_t tensor, const std::vector<Taken>& gradients, double time);

    const Profile& m_profile;                                  //!< of the job
    ParameterCopies m_copies;                                  //!< of the parameters
    std::vector<ServerCrash> m_crashes;                        //!< of servers, by time
    double m_crashed{-1};                                      //!< when the last one was, s
    Callback m_callback;                                       //!< told
    std::vector<Parameters> m_tensors;                         //!< by index
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_reads; //!< by worker and tensor
    std::map<uint32_t, std::vector<Taken>> m_taken;            //!< of updates under way, by tensor
};

} // namespace ns3::dml

#endif /* DML_VERSION_METER_H */
