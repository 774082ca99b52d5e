/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CRASH_METER_H
#define DML_CRASH_METER_H

#include "ns3/dml-run-observer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief What a crash of a worker cost.
 */
struct CrashLoss
{
    uint32_t worker{0};        //!< from 0
    double time{0};            //!< of the crash, s
    uint32_t step{0};          //!< step that it was in, or would have begun next
    double lost{0};            //!< time that it had spent on that step, s: lost
    double back{UNKNOWN_TIME}; //!< when it began its first step after it, s; UNKNOWN_TIME: never
    uint32_t backStep{0};      //!< number of that step
    bool ended{false}; //!< as in CrashRecord: another one had crashed or come back; or a server had
                       //!< crashed
};

/**
 * @ingroup dml-metrics
 * @brief A crash of a parameter server, which ends the steps of all workers.
 *
 * All servers load the last checkpoint then, as TensorFlow's sessions do.
 */
struct ServerCrash
{
    uint32_t server{0};   //!< from 0
    double at{0};         //!< s
    double back{0};       //!< when workers have sessions again, s
    double checkpoint{0}; //!< from when the parameters are that come back, s; 0: the first ones
};

/// What such a crash cost.
struct ServerLoss
{
    ServerCrash crash;    //!< it
    uint64_t steps{0};    //!< of all workers, that were done and are not in the checkpoint
    bool happened{false}; //!< whether the run was not over by then
};

/**
 * @ingroup dml-metrics
 * @brief Collects the crashes of a run's workers, and when they came back, and what was lost with
 * servers.
 */
class CrashMeter : public RunListener<CrashMeter>
{
  public:
    /**
     * @brief Take the crashes that a scenario lists.
     * @param crashes of servers, by time
     * @param workers when each worker crashes for the first time, s; one that dies without a crash
     * of its own before was ended. None: as the records say
     */
    explicit CrashMeter(const std::vector<ServerCrash>& crashes = {},
                        std::optional<std::map<uint32_t, double>> workers = std::nullopt);

    void On(const StepRecord& record);
    void On(const CrashRecord& record);
    void On(const RejoinRecord& record);
    void On(const ServerCrashRecord& record);

    /// @return the crashes in order of time
    const std::vector<CrashLoss>& GetLosses() const
    {
        return m_losses;
    }

    /// @return those of servers, whether they happen or not, by time
    std::vector<ServerCrash> GetServerCrashes() const;

    /// @return those of servers that happened, by time
    std::vector<ServerLoss> GetServerLosses() const;

  private:
    /// @return whether a worker dies without a crash of its own
    bool IsEnded(const CrashRecord& record) const;

    std::vector<ServerLoss> m_serverLosses;              //!< of all crashes of servers, by time
    std::optional<std::map<uint32_t, double>> m_workers; //!< first crash of each that has any, s
    std::vector<CrashLoss> m_losses;                     //!< in order of time
};

} // namespace ns3::dml

#endif /* DML_CRASH_METER_H */
