/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_POLICY_H
#define DML_TRANSFER_POLICY_H

#include "ns3/dml-op.h"
#include "ns3/object.h"

#include <algorithm>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief What a policy decided: serve this transfer for so many bytes, without interruption.
 */
struct Turn
{
    OpIndex transfer{NO_INDEX}; //!< transfer, or NO_INDEX if none can be served now
    uint64_t bytes{0};          //!< how much of it; zero only for a transfer of zero bytes

    /// @return true if there is something to serve
    explicit operator bool() const
    {
        return transfer != NO_INDEX;
    }
};

/**
 * @ingroup dml-policy
 * @brief What a policy knows of a transfer before the run.
 */
struct TransferInfo
{
    OpIndex transfer{NO_INDEX}; //!< the transfer
    uint64_t bytes{0};          //!< its size
    uint32_t rank{NO_INDEX};    //!< lower goes first; NO_INDEX: it has no place in an order
    /// When a gradient is ready according to the profile, in seconds from the start of the step's
    /// compute ops; below 0: not known.
    double generated{-1};
};

/**
 * @ingroup dml-policy
 * @brief Simulated time, for policies that wait.
 */
class PolicyClock
{
  public:
    /// Differences of times below this are rounding, in seconds: ns-3 counts in nanoseconds.
    static constexpr double RESOLUTION = 2e-9;
    /// The same as a share of the time: a double has not more digits after months.
    static constexpr double RELATIVE_RESOLUTION = 1e-15;

    virtual ~PolicyClock() = default;

    /// @return the current time in seconds
    virtual double GetNow() const = 0;

    /// @brief Have Next() called again, unless a turn is open then.
    /// @param delay in seconds from now, not negative
    virtual void WakeUp(double delay) = 0;

    /// @param time in seconds @return by how much a time that is equal to it may differ
    static double GetRounding(double time)
    {
        return std::max(RESOLUTION, RELATIVE_RESOLUTION * time);
    }

    /// @param time in seconds; @return whether it is now or past, as far as the clock can tell
    bool HasCome(double time) const
    {
        return GetNow() >= time - GetRounding(time);
    }
};

/**
 * @ingroup dml-policy
 * @brief How many bytes flow control lets a transfer send now.
 *
 * The fair-share engine answers from a model of the receiver (StreamWindowModel), the packet
 * engine from the HTTP/2 session's real window.
 */
class WindowView
{
  public:
    virtual ~WindowView() = default;

    /**
     * @param transfer the transfer
     * @param turns number of turns that it has had already
     * @return bytes that it may send now; zero if it must wait for the receiver
     */
    virtual uint64_t GetWindow(OpIndex transfer, uint32_t turns) const = 0;
};

/**
 * @ingroup dml-policy
 * @brief The order in which the transfers of one connection are served, and in which portions.
 *
 * One object serves one connection in one direction (one worker, one parameter server). Both
 * engines drive it in the same way: Add() when a transfer is ready, Next() when the connection is
 * free, TurnEnded() when the bytes of the turn have been served. At most one turn is open at a
 * time. A transfer comes again in every step. Derived classes register a TypeId and are made by
 * ObjectFactory.
 */
class TransferPolicy : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief A transfer became ready to be sent.
     * @param transfer the transfer, not in the policy yet
     * @param bytes its size
     */
    virtual void Add(OpIndex transfer, uint64_t bytes) = 0;

    /**
     * @brief Choose the next turn. The transfer stays with the policy until TurnEnded().
     * @param windows how much each transfer may send
     * @return the turn, or an empty one if nothing is ready or everything ready is blocked
     */
    virtual Turn Next(const WindowView& windows) = 0;

    /**
     * @brief The open turn has been served in full; an unfinished transfer queues again.
     * @return true if that was the end of the transfer
     */
    virtual bool TurnEnded() = 0;

    /// @return number of transfers that are not finished, the one in its turn included
    virtual uint32_t GetSize() const = 0;

    /**
     * @brief Before the run: all transfers that the policy will be given in each step.
     * @param transfers in listing order
     * @param connection number of the connection and direction among those of the job, the same in
     *        both engines: for random streams
     * @param clock simulated time; it outlives the policy's use
     */
    virtual void Prepare(const std::vector<TransferInfo>& transfers,
                         uint32_t connection,
                         PolicyClock& clock);

    /// @return whether Acknowledged() is to be called, which costs messages
    virtual bool WantsAcknowledgements() const
    {
        return false;
    }

    /**
     * @brief The sender has learnt that the receiver has all of a transfer.
     * @param transfer whose last turn has ended
     */
    virtual void Acknowledged(OpIndex transfer);
};

} // namespace ns3::dml

#endif /* DML_TRANSFER_POLICY_H */
