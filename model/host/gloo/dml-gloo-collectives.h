/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GLOO_COLLECTIVES_H
#define DML_GLOO_COLLECTIVES_H

#include "ns3/dml-host-libraries.h"

#include <condition_variable>
#include <deque>
#include <gloo/context.h>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ns3::dml
{

class WallClockSimulator;

/**
 * @ingroup dml-host
 * @brief All-reduce by Gloo over the kernel's TCP, with real sums of real numbers.
 *
 * A thread of its own connects all ranks with each other and reduces one buffer after the other;
 * the simulator's thread is told when one is done. A float counts four bytes.
 */
class GlooCollectives : public CollectiveService
{
  public:
    /// @param rank of this process
    explicit GlooCollectives(const GlooRank& rank);
    ~GlooCollectives() override;

    void AllReduce(uint64_t bytes, std::function<void()> done) override;

  private:
    /// A buffer to be reduced.
    using Work = std::pair<uint64_t, std::function<void()>>;

    void Loop();
    std::shared_ptr<gloo::Context> Connect() const;
    bool Await(Work& work);

    GlooRank m_rank;                   //!< of this process
    WallClockSimulator& m_simulator;   //!< simulator whose thread is told
    std::mutex m_mutex;                //!< of what follows
    std::condition_variable m_changed; //!< there is work, or an end
    std::deque<Work> m_work;           //!< to be done
    bool m_ends{false};                //!< nobody wants anything any more
    std::vector<float> m_buffer;       //!< of the thread
    std::thread m_thread;              //!< at work
};

} // namespace ns3::dml

/// Found by its name when the library is loaded. @param rank of this process @return a new one
extern "C" ns3::dml::CollectiveService* DmlMakeGlooCollectives(const ns3::dml::GlooRank& rank);

#endif /* DML_GLOO_COLLECTIVES_H */
