/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_RUNNER_H
#define DML_COLLECTIVE_RUNNER_H

#include "ns3/dml-step-plan.h"

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief What a CollectiveRunner has done for it by the executor.
 */
class CollectiveHost
{
  public:
    virtual ~CollectiveHost() = default;

    /// @param move to be sent now @param resource channel @param bytes size; it may have been sent
    /// on return
    virtual void SendMove(OpIndex move, uint32_t resource, uint64_t bytes) = 0;

    /// @param move that is wanted from its sender; it may be asked for on return
    virtual void RequestMove(OpIndex move) = 0;

    /// @param move that has come, and is to be added to the worker's own @param seconds that takes
    virtual void Reduce(OpIndex move, double seconds) = 0;

    /// @param collective place of one that the worker has done its part of
    virtual void CollectiveDone(uint32_t collective) = 0;
};

/**
 * @ingroup dml-execution
 * @brief Does a worker's part of the collectives of its steps: its moves, in the order of the
 * algorithm.
 *
 * A round of a lane begins when all that the round before receives has been added. What it receives
 * has been asked for one round earlier, as Gloo does it, so that asking takes no time of its own.
 * Memory goes with the lanes of what is under way, and not with the rounds.
 */
class CollectiveRunner
{
  public:
    /**
     * @param plan with the collectives; must outlive this
     * @param worker index
     * @param host the executor; must outlive this
     */
    CollectiveRunner(const StepPlan& plan, uint32_t worker, CollectiveHost& host);
    ~CollectiveRunner();

    /// @param collective place of one that is not under way; it may have ended on return
    void Start(uint32_t collective);

    /// @param collective place @param bytes of its buffer from its next start on, where others are
    /// reduced with it
    void SetBytes(uint32_t collective, uint64_t bytes)
    {
        m_bytes[collective] = bytes;
    }

    /// @param collective place @return bytes of its buffer
    uint64_t GetBytes(uint32_t collective) const
    {
        return m_bytes[collective];
    }

    /// @param move any @return what it is to the worker
    PlannedTransfer GetTransfer(OpIndex move) const
    {
        return m_plan.GetTransfer(move, m_worker, m_bytes[m_plan.GetCollective(move)]);
    }

    /// @param move that its receiver has asked for, also before the collective has started
    void MoveRequested(OpIndex move);

    /// @param move of which the last byte has been served
    void MoveSent(OpIndex move);

    /// @param move that has come
    void MoveArrived(OpIndex move);

    /// @param move given to CollectiveHost::Reduce()
    void MoveReduced(OpIndex move);

  private:
    /// Rounds of which receives are asked for at the same time.
    static constexpr uint32_t AHEAD = 2;

    /// Where a lane is.
    struct Lane
    {
        uint32_t round{0};         //!< round under way
        uint32_t asked{0};         //!< round of which nothing has been asked for
        uint32_t end{0};           //!< one behind the last
        uint32_t missing[AHEAD]{}; //!< of round r at r % AHEAD: receives that are not done
    };

    /// A collective under way.
    struct Active
    {
        std::vector<Lane> lanes; //!< of the schedule
        uint32_t open{0};        //!< moves that are not done, and calls that are at work on it
    };

    const RankSchedule& GetSchedule(uint32_t collective) const;
    void EnterRounds(uint32_t collective, uint32_t lane);
    void AskAhead(uint32_t collective, Lane& lane);
    void Send(OpIndex move);
    void Close(uint32_t collective);

    const StepPlan& m_plan;                        //!< has the collectives
    uint32_t m_worker;                             //!< index
    CollectiveHost& m_host;                        //!< the executor
    std::vector<uint64_t> m_bytes;                 //!< by place: of the buffer
    std::vector<std::unique_ptr<Active>> m_active; //!< by place; null: not under way
    std::unordered_set<OpIndex> m_requested;       //!< moves asked for whose round has not begun
    std::unordered_set<OpIndex>
        m_entered; //!< moves whose round has begun that nobody has asked for
};

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_RUNNER_H */
