/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CASE_METERS_H
#define DML_CASE_METERS_H

#include "dml-case-result.h"
#include "dml-schedule-summary.h"

#include "ns3/dml-observer-list.h"
#include "ns3/dml-plot-run.h"
#include "ns3/dml-stop-rule.h"
#include "ns3/dml-sync-meter.h"
#include "ns3/dml-tensor-meter.h"
#include "ns3/dml-throughput.h"

#include <memory>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief What is measured of a run after its warm-up.
 */
class CaseMeters : public ObserverList
{
  public:
    /// What is measured.
    struct Options
    {
        const Profile& profile;     //!< of the job; must outlive the meters
        std::string engine;         //!< its name in plots
        StepWindow::Options window; //!< part of the run
        FirstSteps first;           //!< of which ops and transfers count
        uint32_t servers{1};        //!< number of parameter servers
        bool gradients{false};      //!< measure transfers by tensor
        bool detailed{false};       //!< collect what the plots show
    };

    /// @param options what is measured
    explicit CaseMeters(const Options& options);

    /// @return throughput
    const ThroughputMeter& GetThroughput() const
    {
        return m_throughput;
    }

    /// @return waits and times of transfers by tensor
    const TransferMeter& GetTransfers() const
    {
        return m_schedule.GetTransfers();
    }

    /// @param summary gets what was measured
    void Summarise(ReplicationSummary& summary) const;
    /// @param engine name @param result gets what the plots show
    void Draw(const std::string& engine, CaseResult& result) const;

  private:
    uint32_t m_workers;            //!< number of workers
    ThroughputMeter m_throughput;  //!< of all workers
    SyncMeter m_sync;              //!< steps and waiting
    TensorMeter m_tensors;         //!< completion times
    ScheduleObserver m_schedule;   //!< order of transfers and its effects
    TimelineCollector m_timeline;  //!< a few steps
    GradientCollector m_gradients; //!< of one step
    DeviceCollector m_devices;     //!< utilisation
};

/**
 * @ingroup dml-report
 * @brief Meters of a run that decides itself when its warm-up is over, and when it ends: they are
 * made when it is over, and hear of nothing after the end.
 */
class AutoMeters : public RunObserver
{
  public:
    /// @param options of the meters; their window is settled here @param rule of the run
    AutoMeters(const CaseMeters::Options& options, const StopRule::Options& rule);

    void Observe(const RunRecord& record) override;

    /// @return what decides
    const StopRule& GetRule() const
    {
        return m_rule;
    }

    /// @return the meters; they have seen nothing if the warm-up was never over
    const CaseMeters& GetMeters();

  private:
    /// @param from when the window opens, s
    void Open(double from);
    /// @return the meters while they are to be told, or null
    CaseMeters* GetOpen() const;

    CaseMeters::Options m_options;        //!< of the meters
    StopRule m_rule;                      //!< decides
    std::unique_ptr<CaseMeters> m_meters; //!< null until the warm-up is over
};

} // namespace ns3::dml

#endif /* DML_CASE_METERS_H */
