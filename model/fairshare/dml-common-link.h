/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COMMON_LINK_H
#define DML_COMMON_LINK_H

#include "dml-bandwidth-sharing.h"
#include "dml-tournament.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace ns3::dml
{

/// Links that all of some flows cross, which share no other link.
struct CommonLinkPlan
{
    std::vector<FlowId> flows;              //!< all of them
    std::vector<std::vector<LinkId>> links; //!< by group: those that its flows cross forward
    std::vector<LinkId> acks;               //!< those that only ACKs cross
    std::vector<uint32_t> groups;           //!< by place of a flow: its group
    /// By place: the flow whose bytes go the way of its ACKs and the other way round, and with
    /// which it alone shares links; NO_INDEX where there is none, or ACKs do not matter.
    std::vector<uint32_t> partners;
    bool heedsAcks{false}; //!< whether links that are down stop flows whose ACKs cross them

    /// @return all links that all flows cross, there or back
    std::vector<LinkId> ListLinks() const;
};

/**
 * @brief Find the links that all of some flows cross.
 * @param network links and routes
 * @param flows which ones
 * @param acks whether the links that ACKs cross count too
 * @return nothing if there is no such link, or they meet elsewhere too
 */
std::optional<CommonLinkPlan> FindCommonLinks(const FlowNetwork& network,
                                              const std::vector<FlowId>& flows,
                                              bool acks);

/**
 * @ingroup dml-fairshare
 * @brief Many flows that meet on one link and nowhere else, as those to or from a server of a star:
 * their rates and ends in virtual time.
 *
 * What is said of the link here holds for each of several that all flows cross, forward or with
 * their ACKs, where these matter: a flow takes its rate from those that it crosses forward, and the
 * level of all is that of the link with the lowest, and not above a given one.
 *
 * Flow f has a weight \f$ w_f \f$ and a limit \f$ c_f \f$, the least rate of its other links. Its
 * rate is \f$ \min(c_f, w_f \theta) \f$ with the level \f$ \theta \f$ at which the link is full,
 * \f$ \sum_f \min(c_f, w_f \theta) = C \f$: weighted max-min. Virtual time grows by \f$ \theta \f$,
 * so a flow of b bytes that starts at V ends at \f$ V + b / w_f \f$ whatever happens in between,
 * for as long as it is the link that limits it. A change of what is active costs O(log n), not
 * O(n), and as much again for each flow that becomes limited by the link or by itself.
 *
 * Source: Parekh and Gallager, A generalized processor sharing approach to flow control, IEEE/ACM
 * ToN 1(3), 1993, with limits added.
 */
class CommonLink
{
  public:
    /**
     * @param network routes; outlives this
     * @param capacities bytes per second of its links now; outlives this
     * @param plan of the flows; a flow's place in its list names it from then on
     * @param highest level, above 0; may be infinite
     * @param weight of a typical flow
     */
    CommonLink(const FlowNetwork& network,
               const std::vector<double>& capacities,
               CommonLinkPlan plan,
               double highest,
               double weight);

    /**
     * @brief A flow gets bytes to send; it is served once it has entered.
     * @param place of the flow
     * @param bytes above 0; may be infinite
     * @param order rank among simultaneous ends
     * @param now seconds
     */
    void Start(uint32_t place, double bytes, uint64_t order, double now);

    /// @brief From now on a flow is served. @param place of the flow @param weight above 0
    /// @param now seconds
    void Enter(uint32_t place, double weight, double now);

    /// @brief A flow is not served any more. @param place of the flow @param now seconds
    void Leave(uint32_t place, double now);

    /// @param place of a flow that is served @param weight above 0 @param now seconds
    void SetWeight(uint32_t place, double weight, double now);

    /// @brief Links have changed their rates. @param now seconds
    void ChangeCapacities(double now);

    /// @brief Find rates again after flows have entered or left, or anything else has changed.
    void Settle();

    /// @return the flow that ends first if nothing changes; none if all ends are infinite
    FlowEnd FindFirst() const;

    /// @return bytes per second that a link carries @param link one that all flows cross
    double GetLoad(LinkId link) const;

    /// @brief Count all times from a later origin. @param seconds by which it is later
    void MoveOrigin(double seconds);

    /// @return steps of Settle() so far, each of which took O(log n): its work, for tests
    uint64_t GetSteps() const
    {
        return m_steps;
    }

  private:
    static constexpr double NEVER = std::numeric_limits<double>::infinity(); //!< of no flow

    /// A flow.
    struct Item
    {
        FlowId flow;        //!< which one
        bool served{false}; //!< whether it has entered
        bool common{false}; //!< whether the link limits it, or else it is limited by itself
        uint64_t order{0};  //!< rank among simultaneous ends
        double weight{1};   //!< its share of the link
        double limit{0};    //!< bytes per second at which it is limited by itself, or NEVER
        double left{0};     //!< bytes not yet served at since; not kept while common
        double since{0};    //!< seconds
        double end{0};      //!< while common: virtual time at which it ends
    };

    /// When a flow ends that the link limits.
    struct VirtualEnd
    {
        int64_t instant{FlowEnd::NEVER}; //!< on a grid: ends that are equal on paper are equal
        uint64_t order{0};               //!< rank among equal ends
        uint32_t place{0};               //!< of the flow

        /// @param other another one @return whether this one comes first
        bool operator<(const VirtualEnd& other) const
        {
            return static_cast<int>(instant < other.instant) |
                   (static_cast<int>(instant == other.instant) &
                    static_cast<int>(order < other.order));
        }
    };

    /// Where the limit of a flow becomes that of the link.
    struct Threshold
    {
        double level{NEVER}; //!< least ones come first
        uint32_t place{0};   //!< of the flow

        /// @param other another one @return whether this one comes first
        bool operator<(const Threshold& other) const
        {
            return level < other.level;
        }
    };

    /// Flows that cross the same of the common links forward.
    struct Group
    {
        double weight{0};   //!< of all that the links limit
        double ownRates{0}; //!< of all that are limited by themselves
        uint32_t common{0}; //!< how many the links limit
        uint32_t own{0};    //!< how many are limited by themselves
    };

    void Advance(double now);
    Group& GetGroup(uint32_t place);
    double FindLimit(uint32_t place) const;
    double FindOwnLevel(uint32_t place) const;
    bool IsDown(const std::vector<LinkId>& links) const;
    void Refit(uint32_t place);
    void RefitPartner(uint32_t place);
    double GetCapacity(uint32_t group) const;
    double FindLevel() const;
    void Join(uint32_t place);
    void LimitItself(uint32_t place);
    void TakeOut(uint32_t place);
    void SetEnd(uint32_t place);
    void SumAgain();

    const FlowNetwork& m_network;            //!< routes
    const std::vector<double>& m_capacities; //!< by link: bytes per second
    CommonLinkPlan m_plan;                   //!< flows, and what all cross
    double m_highest;                        //!< no level is higher
    std::vector<Group> m_groups;             //!< as the plan has them
    std::vector<Item> m_items;               //!< by place
    double m_grid;                           //!< level that one flow alone has at the start, > 0
    double m_now{0};                         //!< seconds: when m_virtual held
    double m_virtual{0};             //!< bytes per weight, since the link last limited nobody
    double m_level{NEVER};           //!< bytes per second and weight
    uint32_t m_common{0};            //!< how many flows the links limit
    uint32_t m_sums{0};              //!< changes of these sums since they were summed anew
    uint64_t m_steps{0};             //!< of Settle()
    Tournament<VirtualEnd> m_ends;   //!< of those that the link limits
    Tournament<FlowEnd> m_ownEnds;   //!< of the others
    Tournament<Threshold> m_rising;  //!< of those that the link limits: up to which level
    Tournament<Threshold> m_falling; //!< of the others: from which level on, times -1
};

} // namespace ns3::dml

#endif /* DML_COMMON_LINK_H */
