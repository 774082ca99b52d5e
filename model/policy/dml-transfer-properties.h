/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_PROPERTIES_H
#define DML_TRANSFER_PROPERTIES_H

#include "ns3/dml-profile.h"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/// Some of a profile's pulls: bit i stands for TransferDependencies::GetPulls()[i].
using PullSet = boost::dynamic_bitset<uint64_t>;

/**
 * @ingroup dml-policy
 * @brief Which pulls each op of a step waits for, directly or through other ops.
 *
 * Source: TicTac (S. H. Hashemi et al., MLSys 2019), section 4.1, "communication dependency". Any
 * op may stand between a pull and what waits for it, pushes and updates included; but only ops on
 * the worker's devices are compute that an order of the pulls can hasten.
 */
class TransferDependencies
{
  public:
    /// All compute ops that wait for the same pulls.
    struct Group
    {
        PullSet pulls;     //!< what they wait for, at least one pull
        double seconds{0}; //!< their work: the shortest of each op's measured steps, summed
        /// Groups of the first compute ops behind these, by their place in GetGroups(), ascending;
        /// each waits for all that these wait for.
        std::vector<uint32_t> next{};
    };

    /// @param profile a valid profile
    explicit TransferDependencies(const Profile& profile);

    /// @return the pulls, in listing order
    const std::vector<OpIndex>& GetPulls() const
    {
        return m_pulls;
    }

    /// @return the compute ops that wait for pulls, grouped; in an order of no meaning, always the
    /// same for the same profile
    const std::vector<Group>& GetGroups() const
    {
        return m_groups;
    }

    /// @param pull index into GetPulls(); @return groups of the first compute ops behind it,
    /// ascending: all others that wait for it come after one of these
    const std::vector<uint32_t>& GetFirstGroups(uint32_t pull) const
    {
        return m_firstGroups[pull];
    }

    /// @param pull index into GetPulls(); @return the pulls that must be over before it can start
    const PullSet& GetPredecessors(uint32_t pull) const
    {
        return m_predecessors[pull];
    }

    /**
     * @brief The order nearest to a wanted one in which no pull precedes another that it waits for
     * (which would block both for ever where the order is enforced): again and again the first pull
     * that can start.
     * @param wanted each index into GetPulls() once
     * @return the same indices
     */
    std::vector<uint32_t> RespectReadiness(std::vector<uint32_t> wanted) const;

  private:
    void FindFirstGroups(const OpGraph& graph,
                         const std::vector<OpIndex>& dependentsFirst,
                         const std::vector<uint32_t>& groupOf);

    std::vector<OpIndex> m_pulls;                     //!< in listing order
    std::vector<Group> m_groups;                      //!< compute ops by what they wait for
    std::vector<std::vector<uint32_t>> m_firstGroups; //!< by pull
    std::vector<PullSet> m_predecessors;              //!< by pull
};

/**
 * @brief The time of a compute op without disturbance: the shortest of its measured steps (TicTac,
 * section 5, "time oracle").
 * @param profile a valid profile
 * @param op index of the op
 * @return seconds; 0 for transfers
 */
double GetShortestSeconds(const Profile& profile, OpIndex op);

/**
 * @ingroup dml-policy
 * @brief A pull in its place of an order, with the properties that gave it this place.
 */
struct RankedPull
{
    uint32_t pull{0};      //!< index into TransferDependencies::GetPulls()
    double load{0};        //!< P when it was chosen, s
    uint64_t impending{0}; //!< M+ when it was chosen; TransferProperties::INFINITE_COST: infinite
};

/**
 * @ingroup dml-policy
 * @brief What the outstanding pulls are worth: properties M, P and M+ of TicTac's Algorithm 1, kept
 * up to date while pulls complete one by one.
 *
 * Communication is counted in whole units of cost (bytes, or 1 per pull) and not in seconds, so
 * that equal sums are equal whatever the order in which they were made.
 *
 * An op waits for all that the ops before it wait for, and so for no less. So of all ops behind a
 * pull only the first ones that also wait for others can give its M+, and these are what is kept of
 * it. When a pull completes, each group that waits for it is looked at, once.
 */
class TransferProperties
{
  public:
    /// M+ of a pull that no compute op needs together with another outstanding pull.
    static constexpr uint64_t INFINITE_COST = std::numeric_limits<uint64_t>::max();

    /**
     * @param dependencies of the profile; they must outlive this object
     * @param costs M of each pull, indexed as TransferDependencies::GetPulls()
     */
    TransferProperties(const TransferDependencies& dependencies, std::vector<uint64_t> costs);

    /// @param pull index of a pull; @return whether it is outstanding and waits for no other pull
    bool IsReady(uint32_t pull) const
    {
        return m_outstanding.test(pull) && m_awaited[pull] == 0;
    }

    /// @param pull index of a pull; @return M, its own cost
    uint64_t GetCost(uint32_t pull) const
    {
        return m_costs[pull];
    }

    /// @param pull index of an outstanding pull; @return P: seconds of the compute ops that wait
    /// for this outstanding pull and no other
    double GetLoad(uint32_t pull) const
    {
        return m_loads[pull];
    }

    /// @param pull index of an outstanding pull; @return M+: the least cost, its own included, of
    /// the outstanding pulls of a compute op that waits for this one and others; or INFINITE_COST
    uint64_t GetImpendingCost(uint32_t pull) const
    {
        uint64_t least = INFINITE_COST;
        for (const uint32_t group : m_frontiers[pull])
        {
            least = std::min(least, m_blocked[group].cost);
        }
        return least;
    }

    /// @brief It is outstanding no more. @param pull index of a ready pull
    /// @return pulls that wait for no other now and did before, in listing order; valid until
    /// the next call
    const std::vector<uint32_t>& Complete(uint32_t pull);

    /// @return how often a group or a waiting pull was looked at so far: the work, for tests
    uint64_t GetSteps() const
    {
        return m_steps;
    }

  private:
    /// What a group of compute ops still waits for.
    struct Blocked
    {
        uint64_t cost{0};  //!< of the outstanding pulls
        uint64_t sum{0};   //!< of their indices: the one that is left, where it is one
        uint32_t pulls{0}; //!< how many they are
    };

    void ListGroups();
    void Load(std::vector<uint32_t>& single);
    void AdvanceFrontier(uint32_t pull);
    bool WasFirst(uint32_t a, uint32_t b) const;

    const TransferDependencies& m_dependencies;     //!< groups, and pulls that precede others
    std::vector<uint64_t> m_costs;                  //!< M
    std::vector<double> m_loads;                    //!< P
    PullSet m_outstanding;                          //!< R
    std::vector<Blocked> m_blocked;                 //!< by group
    std::vector<std::vector<uint32_t>> m_frontiers; //!< by pull: first groups that wait for others
    std::vector<uint32_t> m_awaited;                //!< by pull: outstanding ones before it
    std::vector<uint32_t> m_waiting;                //!< pulls that wait for others, as listed
    std::vector<uint32_t> m_freed;                  //!< result of Complete()
    std::vector<uint32_t> m_completed;              //!< pulls, in this order
    std::vector<PullSet> m_groupsOf;                //!< by pull: bit i: group i waits for it
    uint64_t m_steps{0};                            //!< see GetSteps()
};

/**
 * @brief Timing-independent order of the pulls (TIC): those first that are least in the way of
 * compute, by the op graph alone.
 *
 * Source: TicTac (S. H. Hashemi et al., MLSys 2019), section 4.2, Algorithm 2: pulls by growing M+,
 * where a pull costs 1 and compute nothing (equation 5). Pulls of equal M+ keep their listing
 * order, those of infinite M+ come last. A pull that waits for others comes after them in any case.
 * @param dependencies of the profile
 * @return all pulls, first one first; M+ is a number of pulls, P is 0
 */
std::vector<RankedPull> MakeTicOrder(const TransferDependencies& dependencies);

/**
 * @brief Timing-aware order of the pulls (TAC): the next one is always that which lets most compute
 * run behind the transfers that are still to come.
 *
 * Source: TicTac (S. H. Hashemi et al., MLSys 2019), section 4.3. Pull A goes before pull B if
 *
 *     min(P_B, M_A) < min(P_A, M_B)          (equation 6)
 *
 * that is, if A's compute hides more of B's transfer than the other way round; if both are the
 * same, if A's M+ is smaller. The comparison printed in Algorithm 3 of the paper is the opposite of
 * that and would choose what overlaps least.
 *
 * The comparison is not transitive, so what "the minimum" is depends on how one looks for it. Here:
 * the pulls that can start, in listing order; a later one replaces the best so far only if it goes
 * strictly before it. Times closer than an instant (InstantOf()) are equal, costs are compared in
 * bytes. A pull that waits for others is no candidate before they have been chosen.
 * @param profile a valid profile; compute ops count with the shortest of their measured steps
 * @param dependencies of the same profile
 * @param bytesPerSecond rate at which a pull is transferred, above 0
 * @return all pulls, first one first, with P and M+ (in bytes) when they were chosen
 */
std::vector<RankedPull> MakeTacOrder(const Profile& profile,
                                     const TransferDependencies& dependencies,
                                     double bytesPerSecond);

} // namespace ns3::dml

#endif /* DML_TRANSFER_PROPERTIES_H */
