/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_TRANSFERS_H
#define DML_TF_TRANSFERS_H

#include "dml-tf-graph.h"
#include "dml-tf-step.h"
#include "dml-tf-update-matcher.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-recorded-transfer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief The pulls and pushes of one worker: which tensor of the profile each moves, and its size.
 *
 * A pull is what the worker received from a parameter server, a push the other way. A size is, in
 * this order: recorded exactly; given by the user; recorded to 0.1 MiB; estimated from times and
 * the rate of the link (the smaller one of pull and push).
 */
class TfTransfers
{
  public:
    /// In how many ways tensors got their names and sizes.
    struct Counts
    {
        uint32_t named{0};     //!< pushes whose variable is known by the gradient's name only
        uint32_t exact{0};     //!< sizes recorded exactly
        uint32_t given{0};     //!< sizes given by the user
        uint32_t rounded{0};   //!< sizes recorded to 0.1 MiB
        uint32_t estimated{0}; //!< sizes estimated from times and the rate of the link
    };

    /**
     * @param step all records, with known tensors and senders
     * @param graph of the step
     * @param updates of the step and the worker
     * @param worker machine whose transfers they are
     * @param options sizes and rate
     * @throws InputError if the size of a tensor is unknown
     *
     * All must outlive this object unchanged.
     */
    TfTransfers(const TfStep& step,
                const TfGraph& graph,
                const TfUpdateMatcher& updates,
                const std::string& worker,
                const ImportOptions& options);

    /// @param pulls pulls or pushes; @return their indices in TfStep::receives, in order of start
    std::vector<uint32_t> List(bool pulls) const;
    /// @param receive index of a pull or push; @return the tensor's name in the profile
    const std::string& GetTensor(uint32_t receive) const;
    /// @param tensor its name in the profile; @return its size
    uint64_t GetBytes(const std::string& tensor) const;

    /// @return how names and sizes were found
    const Counts& GetCounts() const
    {
        return m_counts;
    }

    /// @return what looks wrong, so far
    const std::vector<std::string>& GetWarnings() const
    {
        return m_warnings;
    }

    /// @param number of the step in the import; @return all transfers as recorded; when the tensor
    /// was ready is UNKNOWN if the tensor is guessed
    std::vector<RecordedTransfer> MakeRecords(uint32_t number);

  private:
    /// Find which receives are pulls and pushes, and of what.
    void FindVariables();
    /// Choose the size of each tensor.
    void FindSizes();
    /// @param count a number; @param text a sentence to warn with unless it is zero
    void Warn(uint32_t count, const std::string& text);

    const TfStep& m_step;                        //!< all records
    const TfGraph& m_graph;                      //!< ops and what they make
    const TfUpdateMatcher& m_updates;            //!< pushes and updates
    const std::string& m_worker;                 //!< name of the worker
    const ImportOptions& m_options;              //!< sizes and rate
    std::map<uint32_t, std::string> m_variables; //!< receive -> tensor of the profile
    std::map<std::string, uint64_t> m_bytes;     //!< by tensor of the profile
    Counts m_counts;                             //!< for rules
    std::vector<std::string> m_warnings;         //!< what looks wrong
};

} // namespace ns3::dml

#endif /* DML_TF_TRANSFERS_H */
