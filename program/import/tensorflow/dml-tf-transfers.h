/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_TRANSFERS_H
#define DML_TF_TRANSFERS_H

#include "dml-tf-graph.h"
#include "dml-tf-step.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-recorded-transfer.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/// The change of one variable.
struct TfUpdate
{
    std::set<uint32_t> receives; //!< received tensors that it waits for
    int64_t start{0};            //!< of the first op, ns
    int64_t duration{0};         //!< of all ops that it is made of, ns
};

/// What one worker pushed, and what waits for it on the parameter servers.
struct TfUpdates
{
    std::vector<uint32_t> pushes;              //!< indices in TfStep::receives, ascending
    std::map<std::string, TfUpdate> updates;   //!< those that wait for a push, by variable
    std::map<uint32_t, std::string> variables; //!< push -> variable, by updates
    std::set<uint32_t> ops;                    //!< those that are part of these updates
};

/**
 * @ingroup dml-import
 * @brief Tell for which variable each gradient was pushed, and what updates which variable.
 *
 * On the parameter servers the graph is followed from each op that changes a variable (its first
 * input) backwards to the received tensors that it reads, directly or through other ops, but not
 * through other updates. The variable's gradient is, in this order, one from a scope "gradients",
 * one that comes through the input at which ops of that type take the gradient, the nearest one,
 * the first one.
 * @param step all records, with known tensors and senders
 * @param graph of the step
 * @param worker machine whose pushes count
 * @return pushes and updates; pushes that no update reads have no variable
 * @throws InputError if an update takes longer than TfStep::MAX_LENGTH
 */
TfUpdates FindTfUpdates(const TfStep& step, const TfGraph& graph, const std::string& worker);

/// The pulls and pushes of one worker.
struct TfTransfers
{
    std::map<uint32_t, std::string> tensors; //!< of the profile, by index in TfStep::receives
    std::vector<uint32_t> pulls;             //!< indices of pulls, in order of start
    std::vector<uint32_t> pushes;            //!< likewise
    std::map<std::string, uint64_t> bytes;   //!< sizes by tensor of the profile
    uint32_t named{0};     //!< pushes whose variable is known by the gradient's name only
    uint32_t exact{0};     //!< sizes recorded exactly
    uint32_t given{0};     //!< sizes given by the user
    uint32_t rounded{0};   //!< sizes recorded to 0.1 MiB
    uint32_t estimated{0}; //!< sizes estimated from times and the rate of the link
    /// All transfers as recorded; when the tensor was ready is UNKNOWN if the tensor is guessed.
    std::vector<RecordedTransfer> records;
    std::vector<std::string> warnings; //!< what looks wrong
};

/**
 * @ingroup dml-import
 * @brief Find the pulls and pushes of one worker: which tensor of the profile each moves, and its
 * size.
 *
 * A pull is what the worker received from a parameter server, a push the other way. A gradient that
 * no update reads is matched by its name, "gradients/<variable>_grad/...". A size is, in this
 * order: recorded exactly; given by the user; recorded to 0.1 MiB; estimated from times and the
 * rate of the link (the smaller one of pull and push).
 * @param step all records, with known tensors and senders
 * @param graph of the step
 * @param updates of the step and the worker
 * @param worker machine whose transfers they are
 * @param options sizes and rate
 * @param number of the step in the import, from 0
 * @return what was found
 * @throws InputError if the size of a tensor is unknown
 */
TfTransfers FindTfTransfers(const TfStep& step,
                            const TfGraph& graph,
                            const TfUpdates& updates,
                            const std::string& worker,
                            const ImportOptions& options,
                            uint32_t number);

} // namespace ns3::dml

#endif /* DML_TF_TRANSFERS_H */
