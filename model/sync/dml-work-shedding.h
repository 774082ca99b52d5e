/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WORK_SHEDDING_H
#define DML_WORK_SHEDDING_H

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief How far a worker has come in a step.
 */
struct SampleReport
{
    uint32_t step{0};    //!< number of the step
    double progress{0};  //!< share of the step that it has computed, 0 to 1
    uint32_t samples{1}; //!< of its step, as it stands now, at least 1
    uint32_t left{0};    //!< of these, what it could still give up
};

/**
 * @ingroup dml-sync
 * @brief What a worker is told after a report.
 */
struct SampleMove
{
    uint32_t take{0}; //!< samples that it gets from others
    uint32_t give{0}; //!< samples that it shall give up if it still can; it answers with Give()
};

/**
 * @ingroup dml-sync
 * @brief Moves samples within a step, from workers that lag behind to those that are ahead
 * (FlexRR).
 *
 * One object serves one run of one job; both engines drive it in the same way. A worker reports at
 * every check. If one that can help is more than Lag of a step ahead of it, it is asked to give up
 * a Share of its samples, and what it gives up goes to the one that is farthest ahead, ties by
 * number, with that one's next report. A helper has one such portion at a time. It must not be
 * beyond Latest of its step, for then its gradients are about to leave. No sample is lost or
 * computed twice, but for those kept for a worker that dies.
 *
 * Source: FlexRR (Harlap et al., SoCC 2016) as Chen et al. (LB-BSP, SoCC 2020, sections 2.2.3
 * and 5.3) describe and emulate it: samples are computed one after another, 100 checks per step,
 * and all other workers may help. Lag, Share and Latest are choices.
 */
class WorkShedding : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @return checks per step at most: one each time that so large a share of it has been computed
    uint32_t GetChecks() const
    {
        return m_checks;
    }

    /// @return seconds for which a check keeps a worker's device busy
    double GetCost() const
    {
        return m_cost;
    }

    /// @param worker that reports; it is there from now on @param report how far it is
    /// @return what it shall do
    SampleMove Check(uint32_t worker, const SampleReport& report);

    /// @param worker that was asked to give up samples
    /// @param samples that it has given up, from 0 to the number asked for
    void Give(uint32_t worker, uint32_t samples);

    /// @param worker that is gone: what was kept for it is lost
    void Leave(uint32_t worker);

    /// @return samples that somebody has given up and nobody has taken yet
    uint64_t GetHeld() const;

    /// @return samples that were kept for workers that have died
    uint64_t GetLost() const
    {
        return m_lost;
    }

  private:
    static constexpr uint32_t NOBODY = 0xffffffff;

    /// What is known of a worker.
    struct Worker
    {
        bool present{false};     //!< has reported, and is there
        double position{0};      //!< steps, and the share of the one under way
        double progress{0};      //!< share of the step that is done
        uint32_t held{0};        //!< samples that are kept for it
        bool reserved{false};    //!< somebody was asked to give up samples for it
        uint32_t helper{NOBODY}; //!< for whom it was asked to give up samples
    };

    Worker& Get(uint32_t worker);
    uint32_t FindHelper(uint32_t worker) const;

    uint32_t m_checks{100};        //!< attribute
    double m_lag{0.2};             //!< attribute
    double m_share{0.025};         //!< attribute
    double m_latest{0.9};          //!< attribute
    double m_cost{0};              //!< attribute
    std::vector<Worker> m_workers; //!< by number
    uint64_t m_lost{0};            //!< samples
};

} // namespace ns3::dml

#endif /* DML_WORK_SHEDDING_H */
