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

namespace ns3
{
namespace dml
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
 * SolveChanges() solves an area of links alone: at first those of the flows that have started or
 * ended. All around it keeps its rates, as long as no flow of another rate crosses a link there
 * that was full or could become so; else the area grows by that link. Where levels come so close
 * that rounding could change their order, and where half as many flows as there are cross the
 * area's links, everything is solved. Where that happens again and again, areas are not tried for a
 * while. Where all flows cross one link that limits them all, their rates are known at once.
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

  private:
    /// What rounding must not take away from a flow, as a share of a link: less would stop it for
    /// ever.
    static constexpr double LEAST_SHARE = 1e-12;

    /// Share that has not been computed; shares are from 0.
    static constexpr double UNKNOWN_SHARE = -1;

    /// Place of a link that is not used.
    static constexpr uint32_t NO_PLACE = std::numeric_limits<uint32_t>::max();

    /// Rate of a flow that nothing limits.
    static constexpr double NO_LIMIT = std::numeric_limits<double>::infinity();

    /// What is left of a link. What filling needs comes first, in one cache line.
    struct alignas(64) Link
    {
        double capacity;                 //!< bytes per second
        double left{0};                  //!< not taken by flows whose rate is fixed
        uint32_t open{0};                //!< flows whose rate is not fixed
        uint32_t place{NO_PLACE};        //!< in m_used
        double bareShare{UNKNOWN_SHARE}; //!< of flows none of which is fixed
        double level{NO_LIMIT};          //!< rate at which it was full; NO_LIMIT: it was not
        bool changed{false};             //!< whether m_changed has it
        bool inArea{false};              //!< whether it is solved anew
        double share{0};                 //!< left / open, in an area
        double nextLevel{NO_LIMIT};      //!< rate at which it is full, as found for an area
        double load{0};                  //!< bytes per second of all its flows, but for rounding
        /// Least share that another link on the way of its flows can have, whatever else is active.
        double others{NO_LIMIT};
        std::vector<uint32_t> hops{}; //!< of the flows that are active: indices in m_routes

        /// @return what each flow gets whose rate is not fixed; there must be one
        double GetShare() const
        {
            return std::max(left / open, LEAST_SHARE * capacity);
        }

        /// @return whether its flows fit, but for rounding
        bool IsWithinCapacity() const
        {
            return load <= capacity * (1 + 1e-9);
        }
    };

    /// A flow of an area that a link outside limits.
    struct Limited
    {
        double limit; //!< bytes per second
        FlowId flow;  //!< which one

        /// @param other another one @return whether this one is limited to less
        bool operator<(const Limited& other) const
        {
            return limit != other.limit ? limit < other.limit : flow < other.flow;
        }
    };

    /// A link with flows whose rate is not fixed.
    struct Used
    {
        double share; //!< Link::GetShare()
        LinkId link;  //!< which one
    };

    /// Whether areas are worth trying among flows that may share links.
    struct Domain
    {
        bool stale{false};    //!< levels and loads are not those of the rates
        uint32_t failures{0}; //!< areas in a row after which everything was solved
        uint32_t pause{0};    //!< changes to come without trying one
    };

    void Fill(const std::vector<FlowId>& active, std::vector<double>& rates);
    void Use(LinkId link);
    double FindLevel();
    std::size_t FixAcross(LinkId link, double level, std::vector<double>& rates);
    void UpdateShares();
    void FindLeastShares();
    bool SolveOneLink(const std::vector<FlowId>& active, std::vector<double>& rates);
    void SetStale(FlowId flow, bool stale);
    bool HasStale(const std::vector<FlowId>& flows) const;
    void ForgetStaleLinks();
    void Enter(FlowId flow);
    void Leave(FlowId flow);
    void AddToArea(LinkId link);
    void AddRouteToArea(FlowId flow);
    void ListFlowsOfArea();
    bool SolveArea();
    double FindLevelOfArea(std::size_t nextLimited);
    bool IsClear(double level, double last, std::size_t nextLimited) const;
    void FixInArea(FlowId flow, double rate);
    bool GrowArea(const std::vector<double>& rates);
    void AddLoads(const std::vector<double>& rates, double sign);
    void TakeArea(std::vector<double>& rates);
    void LeaveArea();
    void TakeAll(const std::vector<FlowId>& active, const std::vector<double>& rates);

    std::vector<Link> m_links;         //!< by link, then one for each flow with a cap
    std::vector<LinkId> m_routes;      //!< links of all flows, one flow after the other
    std::vector<uint32_t> m_firstLink; //!< start of each flow in m_routes, and the end
    std::vector<uint32_t> m_domains;   //!< by flow: flows of different ones share no link
    std::vector<Domain> m_state;       //!< by domain
    uint32_t m_stale{0};               //!< domains that are stale
    std::vector<Used> m_used;          //!< scratch: links with flows whose rate is not fixed
    std::vector<LinkId> m_full;        //!< scratch: links that are full at a level
    std::vector<LinkId> m_changed;     //!< scratch: links of which more has been taken since
    std::vector<FlowId> m_flowOfHop;   //!< by index in m_routes
    std::vector<uint32_t> m_places;    //!< by index in m_routes: where it is in Link::hops
    std::vector<LinkId> m_area;        //!< links that are solved anew
    std::vector<FlowId> m_areaFlows;   //!< flows across them
    std::vector<double> m_areaRates;   //!< by flow: what was found for it; below 0: not yet
    std::vector<bool> m_isInArea;      //!< by flow
    std::vector<Limited> m_limited;    //!< of m_areaFlows, in order of their limits
    std::vector<LinkId> m_loaded;      //!< links outside whose loads have changed
};

} // namespace dml
} // namespace ns3

#endif /* DML_MAX_MIN_SOLVER_H */
