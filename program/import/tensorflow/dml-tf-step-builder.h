/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_STEP_BUILDER_H
#define DML_TF_STEP_BUILDER_H

#include "dml-tf-built-step.h"
#include "dml-tf-graph.h"
#include "dml-tf-step-memory.h"
#include "dml-tf-step.h"
#include "dml-tf-transfers.h"
#include "dml-tf-update-matcher.h"

#include "ns3/dml-import-options.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Makes a step of one worker from what TensorFlow recorded on all machines.
 *
 * Received parameters become pulls, received gradients pushes, and ops of the parameter servers
 * that apply a gradient updates. Ops of the worker's devices become forward, backward (those in a
 * scope "gradients") or other compute (what waits for a backward op), waiting for what their inputs
 * name. All other ops of parameter servers, ops without work and other workers' records are left
 * out.
 */
class TfStepBuilder
{
  public:
    /**
     * @param step all records, with known tensors and senders; must outlive this object unchanged
     * @param worker machine to build the step of
     * @param options order, sizes and rate
     * @param number of the step in the import, from 0
     */
    TfStepBuilder(const TfStep& step,
                  const std::string& worker,
                  const ImportOptions& options,
                  uint32_t number);

    /// @return the step, for AlignTfStep(); @throws InputError if a tensor's size is unknown, or
    /// nothing was computed
    TfBuiltStep Build();

  private:
    /// What of the worker's ops waits for an input, in the numbers that rules print.
    struct Counts
    {
        uint32_t deps{0};       //!< dependencies found
        uint32_t unrecorded{0}; //!< inputs without a record
        uint32_t later{0};      //!< inputs whose maker started later
        uint32_t empty{0};      //!< ops without work
        double emptyTime{0};    //!< ns
        uint32_t server{0};     //!< ops of servers left out
        double serverTime{0};   //!< ns
        uint32_t merged{0};     //!< pulls of a variable that was pulled already
        uint64_t kept{0};       //!< bytes for backward ops
    };

    /// @return @p name, made unique with "(2)" and so on
    std::string MakeName(const std::string& name);
    void AddPulls();
    void AddCompute();
    void AddPushes();
    void AddUpdates();
    /// Set kinds of compute ops.
    void FindKinds();
    /// Set what they hold.
    void SetMemory();
    /// @param reader op of the worker; @return names of ops that it waits for
    std::vector<std::string> FindDeps(uint32_t reader);
    void AddRules();
    /// @param text a sentence; @param count a number to print it for, if it is not zero
    void Warn(uint32_t count, const std::string& text);

    const TfStep& m_step;                          //!< all records
    const std::string& m_worker;                   //!< name of the worker
    const ImportOptions& m_options;                //!< the user's choices
    uint32_t m_number;                             //!< of the step
    TfGraph m_graph;                               //!< ops and what they make
    TfUpdateMatcher m_updates;                     //!< pushes and updates
    TfTransfers m_transfers;                       //!< tensors and sizes
    std::map<std::string, uint32_t> m_executions;  //!< ops so far that have one name
    std::set<std::string> m_names;                 //!< names of ops
    std::map<std::string, std::string> m_pulled;   //!< received node -> name of the pull
    std::map<uint32_t, std::string> m_transferOps; //!< receive -> name of the pull or push
    std::map<uint32_t, std::string> m_computeOps;  //!< op -> its name
    std::vector<uint32_t> m_computed;              //!< these ops, in the order of their starts
    std::vector<TfRead> m_reads;                   //!< between them
    Counts m_counts;                               //!< for rules
    TfBuiltStep m_built;                           //!< under construction
};

} // namespace ns3::dml

#endif /* DML_TF_STEP_BUILDER_H */
