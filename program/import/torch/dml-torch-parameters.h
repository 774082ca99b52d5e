/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_PARAMETERS_H
#define DML_TORCH_PARAMETERS_H

#include "dml-torch-step-anatomy.h"
#include "dml-torch-trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/// Shape of a tensor.
using TorchShape = std::vector<int64_t>;

/// A parameter of the model, as one step shows it.
struct TorchParameter
{
    std::string name;                   //!< unique in its step: `OP_n.weight`, `OP_n.bias`
    std::optional<TorchShape> shape;    //!< if the trace tells
    std::optional<uint64_t> bytes;      //!< if the trace tells
    uint32_t accumulate{0};             //!< part that completes its gradient
    uint32_t forward{TorchEvent::NONE}; //!< part that reads it first, or NONE if unknown
};

/// Where sizes came from, summed over steps.
struct TorchSizeCounts
{
    uint64_t parameters{0}; //!< all
    uint64_t owned{0};      //!< with the forward op known
    uint64_t accumulate{0}; //!< with the shape that AccumulateGrad received
    uint64_t forward{0};    //!< with the shape that the forward op received
    uint64_t untyped{0};    //!< with a shape but without an element type: 4 bytes are assumed
};

/**
 * @param text JSON list of shapes, as "[[8,3],[3]]"
 * @return the shapes; of an input that is a list of tensors, or of text that is none, nothing
 */
std::vector<std::optional<TorchShape>> ParseTorchShapes(const std::string& text);

/**
 * @param op name of a forward op, as "conv2d_1"
 * @return place of the first of its inputs that is no parameter, or nothing if that kind of op is
 * unknown or the input does not have one row for each sample
 */
std::optional<std::size_t> FindTorchSamples(std::string_view op);

/**
 * @ingroup dml-import
 * @brief Finds the parameters of a model in the steps of a trace.
 *
 * Every accumulation completes the gradient of one parameter. Its shape is that of the input of
 * `torch::autograd::AccumulateGrad`, else that of the input of the forward op where that kind of op
 * takes its weight or bias; its element type comes with it. Profilers that record no shapes tell
 * neither.
 *
 * PyTorch does not record names. A parameter is called by its forward op, the n-th of its kind in
 * the step, and by its part there: `weight` if it has two dimensions or more, `bias` if it has
 * fewer and the op has a weight of more, or is an addmm; of two that look alike (as those of a
 * batch normalisation) the one that is complete first is called `weight`. A third is called
 * `weight_2` and so on.
 */
class TorchParameterFinder
{
  public:
    /**
     * @param trace a trace, nested
     * @param anatomy which has taken all its steps apart
     */
    TorchParameterFinder(const TorchTrace& trace, const TorchStepAnatomy& anatomy);

    /**
     * @param step one step
     * @return its parameters in the order in which forward ops read them
     * @throws InputError if a shape or type is not one that PyTorch writes, or above 1 TiB
     */
    std::vector<TorchParameter> Find(const TorchStep& step);

    /// @param text index of a text that is a list of shapes; @param input place in that list
    /// @return the shape, or nothing if there is none
    std::optional<TorchShape> GetShape(uint32_t text, std::size_t input);

    /// @return counts so far
    const TorchSizeCounts& GetCounts() const
    {
        return m_counts;
    }

  private:
    /// @param outer an outermost event; @return the event of AccumulateGrad that has shapes, or
    /// NONE
    uint32_t FindShapes(uint32_t outer) const;
    void SetSize(TorchParameter& parameter,
                 uint32_t event,
                 std::size_t input,
                 const TorchStep& step);
    void SetNames(std::vector<TorchParameter>& parameters, const TorchStep& step);
    void SetForwardShapes(std::vector<TorchParameter>& parameters, const TorchStep& step);

    const TorchTrace& m_trace;         //!< the trace
    const TorchStepAnatomy& m_anatomy; //!< what belongs together
    std::unordered_map<uint32_t, std::vector<std::optional<TorchShape>>> m_shapes; //!< by text
    TorchSizeCounts m_counts;                                                      //!< so far
};

} // namespace ns3::dml

#endif /* DML_TORCH_PARAMETERS_H */
