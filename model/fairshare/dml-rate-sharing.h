/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RATE_SHARING_H
#define DML_RATE_SHARING_H

#include "dml-bandwidth-sharing.h"
#include "dml-common-link.h"
#include "dml-end-list.h"
#include "dml-rate-solver.h"
#include "dml-tournament.h"

#include <memory>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief Rates that a RateSolver gives anew whenever the set of active flows changes.
 *
 * Flows are split into domains without common links, as the downlinks and the uplinks of a star:
 * only the domain in which something happened is solved. Not even that is needed where a flow ends
 * and starts again in the same instant, which is what the chunks of a busy connection do, nor where
 * a flow is alone in its domain, as those of a ring are: its rate is known once and for all. Many
 * flows that share one link only are served by a CommonLink, if the rule allows that.
 */
class RateSharing : public BandwidthSharing
{
  public:
    /// Where so many flows meet on a link, it serves them in virtual time. With fewer the one way
    /// is as fast as the other, but differs from it by rounding.
    static constexpr std::size_t MANY_FLOWS = 65;

    /**
     * @param network links and routes, which outlives this
     * @param solver the rule
     * @param observer told of the servers' links; may be null
     */
    RateSharing(const FlowNetwork& network,
                std::unique_ptr<RateSolver> solver,
                RunObserver* observer);

    void Start(FlowId flow, double bytes, uint64_t order, double now) override;
    using BandwidthSharing::GetNextEnd;
    const FlowEnd& GetNextEnd(double horizon) override;
    void Finish() override;
    void Stop(FlowId flow, double now) override;
    void SetCapacity(LinkId link, double bytesPerSecond, double now) override;
    void MoveOrigin(double seconds) override;
    bool HeedsAcks() const override;
    void Flush(double now) override;

  private:
    /// What is known of a flow.
    struct Flow
    {
        uint32_t domain{0};         //!< where it belongs
        uint32_t place{NOT_ACTIVE}; //!< index in the domain's active flows, or as seat
        uint32_t seat{0};           //!< index among all flows of the domain
        bool solved{false};         //!< whether the domain's rates are those with it active
    };

    /// Flows that may share links.
    struct Domain
    {
        EndList active; //!< flows at work, and when they end if their rates stay
        std::unique_ptr<CommonLink> common; //!< serves them instead; null: they are few, or meet
                                            //!< on several links
        LinkId commonLink{0};               //!< one that all of them cross
        std::vector<FlowId> started; //!< not of those with which the rates were solved; may repeat
        std::vector<FlowId> ended;   //!< of those with which the rates were solved; may repeat
        std::vector<uint32_t> servers; //!< indices in m_servers of links that its flows cross
        uint32_t changes{0};           //!< flows that started or ended since the rates were solved
        FlowId lone{NO_INDEX};         //!< the only flow, which keeps its rate; NO_INDEX: none does
        bool stale{false};             //!< whether something has changed since next was found
        bool listed{false};            //!< whether m_stale has it
        bool capacity{false};          //!< whether a link's rate has changed since then
        bool reweighed{false};         //!< whether the solver changes rates by itself now
        double now{0};                 //!< seconds: when that was
        FlowEnd next;                  //!< first to end
    };

    /// A reported link.
    struct Server
    {
        ServerLink link; //!< the link
        double load{0};  //!< bytes per second
        double since{0}; //!< seconds: how long
    };

    /// When the solver changes rates of a domain by itself.
    struct Reweighing
    {
        double time{std::numeric_limits<double>::infinity()}; //!< seconds
        uint32_t domain{0};                                   //!< index

        bool operator<(const Reweighing& other) const
        {
            return time < other.time || (time == other.time && domain < other.domain);
        }
    };

    static constexpr uint32_t NOT_ACTIVE = UINT32_MAX; //!< place of a flow that is not active

    void FindLoneFlows();
    void MakeCommonLinks();
    void MakeCommonLink(Domain& domain, const std::vector<FlowId>& flows);
    void Touch(Domain& domain, double now);
    void SetStale(Domain& domain);
    /// @return the first end of all, if rates stay
    const FlowEnd& FindNextEnd();
    void Remove(FlowId flow, double now);
    void Update(Domain& domain);
    void Share(Domain& domain);
    void ShareCommonLink(Domain& domain);
    void ListChanges(const Domain& domain);
    void MeasureLoads(const Domain& domain);
    void ReportLoads(const Domain& domain);

    const FlowNetwork& m_network;                       //!< routes
    std::vector<double> m_capacities;                   //!< by link: bytes per second
    std::unique_ptr<RateSolver> m_solver;               //!< the rule
    RunObserver* m_observer;                            //!< may be null
    std::vector<Flow> m_flows;                          //!< by flow id
    std::vector<Domain> m_domains;                      //!< all domains
    std::vector<Server> m_servers;                      //!< reported links
    std::vector<std::vector<uint32_t>> m_serversOfFlow; //!< by flow: indices in m_servers
    std::vector<uint32_t> m_domainOfLink;               //!< by link; NO_INDEX where no flow passes
    std::vector<double> m_rates;                        //!< by flow id: what the solver said last
    FlowChanges m_changes;                              //!< scratch of Share()
    double m_origin{0};                                 //!< seconds from the start of the run
    Tournament<FlowEnd> m_next;                         //!< first ends of domains, but the stale
    Tournament<Reweighing> m_reweighings; //!< those of stale domains are not up to date
    std::vector<uint32_t> m_stale;        //!< indices of stale domains
};

} // namespace ns3::dml

#endif /* DML_RATE_SHARING_H */
