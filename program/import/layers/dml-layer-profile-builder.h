/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LAYER_PROFILE_BUILDER_H
#define DML_LAYER_PROFILE_BUILDER_H

#include "dml-backward-schedule.h"
#include "dml-layer-times.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-profile.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Makes the op graph of a training step from layers measured on one worker.
 *
 * Ops, in listing order: `pull/TENSOR` for every parameter; `forward/LAYER`, after the forward of
 * its inputs and the pulls of its parameters; `backward/LAYER`, after the backward of all layers
 * that read its output (of the last layer: after its own forward), and `accumulate/TENSOR`, after
 * the part of the backward that precedes it, both in the order in which they ran; `push/TENSOR`
 * after the accumulation; `update/TENSOR` after the push. A backward that BackwardSchedule cuts
 * becomes `backward/LAYER#1`, `backward/LAYER#2` and so on. The second layer of a name is called
 * `NAME(2)`.
 *
 * With ComputeOrder::MEASURED a worker alone on an infinitely fast network computes exactly as
 * measured: forward takes the sum of the layers, and every gradient is complete when it was. With
 * ComputeOrder::DATAFLOW this holds for models without branches; where several branches are ready
 * the device takes them in turn, while PyTorch finishes one before it starts the next.
 */
class LayerProfileBuilder
{
  public:
    /**
     * @param layers layers in forward order, all lists of the same length >= 1
     * @param order what decides the order of compute ops
     */
    LayerProfileBuilder(const std::vector<LayerTimes>& layers, ComputeOrder order);

    /**
     * @brief Make the tensors, the op graph and the samples; model, batch size and source are the
     * caller's.
     * @param device name of the device that ran all of it
     * @return the profile
     * @throws InputError if a layer's backward ended after that of a layer it depends on and the
     * order is MEASURED
     */
    Profile Build(const std::string& device);

    /// @return number of steps whose backward ran in exactly the order of the profile
    uint32_t GetAgreeingSteps() const
    {
        return m_schedule.agreeing;
    }

  private:
    /// @param op what it is; @param lengths per step, empty for transfers; @return its index
    OpIndex Add(Op op, const std::vector<Ticks>& lengths);
    void AddPulls();
    void AddForward();
    void AddBackward();
    /// Data dependencies of the first part of a layer's backward.
    void LinkBackward(OpIndex op, uint32_t layer);
    void AddPushesAndUpdates();

    const std::vector<LayerTimes>& m_layers;        //!< the measurement
    ComputeOrder m_order;                           //!< what decides the order
    BackwardSchedule m_schedule;                    //!< order and lengths of the backward pass
    std::vector<std::string> m_names;               //!< unique names of the layers
    std::vector<std::vector<uint32_t>> m_consumers; //!< layers that read a layer's output
    std::vector<TensorIndex> m_firstTensor;         //!< of each layer; also the index of its pull
    std::vector<OpIndex> m_forward;                 //!< op of each layer
    std::vector<OpIndex> m_backward;                //!< last part so far of each layer's backward
    std::vector<OpIndex> m_accumulate;              //!< op of each tensor
    Profile m_profile;                              //!< under construction
};

} // namespace ns3::dml

#endif /* DML_LAYER_PROFILE_BUILDER_H */
