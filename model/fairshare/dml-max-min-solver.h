/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MAX_MIN_SOLVER_H
#define DML_MAX_MIN_SOLVER_H

#include "dml-rate-solver.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief Max-min fair rates by progressive filling.
 *
 * All rates grow together until a link is full; the flows through it stop there, the others go on:
 * \f$ \sum_{f \ni l} r_f \le C_l \f$ for every link l, and every flow has a bottleneck, a full link
 * on which no other flow is faster. Source: Bertsekas and Gallager, Data Networks, section 6.5.2.
 * What limits a flow by itself is a link of its own.
 *
 * A solution is known by the level of each link, the rate at which it is full, if ever: a flow has
 * the least level of its links. The level of a link follows from those levels of other links on the
 * way of its flows that are lower. So SolveChanges() finds the levels of the links anew whose flows
 * have started or ended, then those of links to whose flows a new level matters, until all agree.
 * Then they are those of progressive filling, to the last bit: see doc/performance.rst. Where two
 * levels come so close that rounding could change their order, or there is no end, it fills all
 * links.
 */
class MaxMinSolver : public RateSolver
{
  public:
    /// @param network links and routes
    explicit MaxMinSolver(const FlowNetwork& network);

    void Solve(const std::vector<FlowId>& active, std::vector<double>& rates) override;
    const std::vector<FlowId>& SolveChanges(const FlowChanges& changes,
                                            const std::vector<FlowId>& active,
                                            std::vector<double>& rates) override;
    void SetCapacity(LinkId link, double bytesPerSecond) override;

    bool SharesByWeight([[maybe_unused]] const std::vector<LinkId>& links,
                        [[maybe_unused]] const std::vector<FlowId>& flows) const override
    {
        return true;
    }

  private:
    /// Place of a link that is not used.
    static constexpr uint32_t NO_PLACE = std::numeric_limits<uint32_t>::max();

    /// Level of a link that is not full, and rate of a flow that nothing limits.
    static constexpr double NO_LIMIT = std::numeric_limits<double>::infinity();

    /// Level of a link that rounding leaves open.
    static constexpr double UNCLEAR = -1;

    /// A flow across a link, and the other links on its way: a range in m_others.
    struct Crossing
    {
        FlowId flow;    //!< the flow
        uint32_t hop;   //!< place of the link in m_routes
        uint32_t begin; //!< first other link
        uint32_t end;   //!< one behind the last
    };

    /// A link, and what is left of it while all are filled.
    struct alignas(64) Link
    {
        double capacity;          //!< bytes per second
        uint32_t first{0};        //!< place in m_active of its first active flow
        uint32_t flows{0};        //!< how many there are
        bool waits{false};        //!< whether m_waiting has it
        bool moved{false};        //!< whether m_moved has it
        bool changed{false};      //!< whether m_changed has it
        uint32_t open{0};         //!< flows whose rate is not fixed
        double left{0};           //!< not taken by flows whose rate is fixed
        uint32_t place{NO_PLACE}; //!< in m_used
        /// Least share that another link on the way of its flows can have, whatever else is active.
        double others{NO_LIMIT};

        /// @return what each flow gets whose rate is not fixed; there must be one
        double GetShare() const
        {
            return std::max(left / open, LEAST_SHARE * capacity);
        }
    };

    /// A link with flows whose rate is not fixed.
    struct Used
    {
        double share; //!< Link::GetShare()
        LinkId link;  //!< the link
    };

    void Fill(const std::vector<FlowId>& active, std::vector<double>& rates);
    void Use(LinkId link);
    double FindLevel();
    std::size_t FixAcross(LinkId link, double level, std::vector<double>& rates);
    void UpdateShares();
    void ListCrossings();
    void FindLeastShares();
    void Enter(FlowId flow);
    void Leave(FlowId flow);
    void Await(FlowId flow);
    void AwaitLink(LinkId link);
    bool FindLevels(std::size_t most);
    double FindLevelOf(LinkId link);
    double FillLink(const Link& link);
    void SetLevel(LinkId link, double level);
    bool LimitsAlone(const Link& link);
    double GetLimit(const Crossing& crossing) const;
    void TakeRates(std::vector<double>& rates);
    void Forget();

    std::vector<Link> m_links;         //!< by link, then one for each flow with a cap
    std::vector<double> m_levels;      //!< likewise: rate at which a link is full, or NO_LIMIT
    std::vector<LinkId> m_routes;      //!< links of all flows, one flow after the other
    std::vector<uint32_t> m_firstLink; //!< start of each flow in m_routes, and the end
    std::vector<LinkId> m_others;      //!< for each place in m_routes, other links of the flow
    std::vector<Crossing> m_crossings; //!< by place in m_routes
    std::vector<Crossing> m_active;    //!< of active flows, one link after the other
    std::vector<uint32_t> m_places;    //!< by place in m_routes: in m_active
    double m_most{0};                  //!< no level is higher
    std::size_t m_missed{0};       //!< flows looked at since m_most was found that it could save
    uint32_t m_failures{0};        //!< times in a row that levels were not found in parts
    uint32_t m_pause{0};           //!< changes to come that are not tried
    std::vector<LinkId> m_waiting; //!< links whose level is to be found
    std::vector<LinkId> m_moved;   //!< links with a new level
    std::vector<FlowId> m_solved;  //!< flows with a new rate
    std::vector<double> m_limits;  //!< scratch: of the flows of a link, by other links
    std::vector<Used> m_used;      //!< scratch: links with flows whose rate is not fixed
    std::vector<LinkId> m_full;    //!< scratch: links that are full at a level
    std::vector<LinkId> m_changed; //!< scratch: links of which more has been taken since
};

} // namespace ns3::dml

#endif /* DML_MAX_MIN_SOLVER_H */
