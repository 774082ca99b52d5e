/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_STEP_TIMER_H
#define DML_TORCH_STEP_TIMER_H

#include "dml-torch-step-anatomy.h"
#include "dml-torch-trace.h"

#include "ns3/dml-import-options.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/// A time during which a GPU ran a kernel of a collective operation.
struct TorchCollective
{
    uint64_t id{0};   //!< "External id" of the op that launched it
    int64_t start{0}; //!< ns
    int64_t end{0};   //!< ns
};

/**
 * @ingroup dml-import
 * @brief Finds how long each part of a step ran.
 *
 * On a CPU a part runs while its outermost events do. In a trace with GPU kernels it runs while its
 * kernels, copies and fills do; what the host does meanwhile shows as gaps. Whichever runs, a time
 * during which two run counts to the one that started first, so that parts never add up to more
 * than the step.
 *
 * A kernel belongs to the op during which the call with its `correlation` was made, else to the op
 * with its `External id`, which in some traces is that of another op. Kernels of the communication
 * library (`nccl...`) are set apart. A step on a GPU ends with the last of its kernels if that ends
 * after the host's step, and the next step then starts there; the times of the host stay as they
 * are.
 *
 * The optimizer's step on a GPU lasts, with IdleTime::KEEP, from its start on the host, or the end
 * of the work or the collective before it if that is later, to the end of its last kernel.
 */
class TorchStepTimer
{
  public:
    /**
     * @param trace a trace, nested
     * @param anatomy which has taken all its steps apart
     * @param idle what becomes of gaps
     */
    TorchStepTimer(const TorchTrace& trace, const TorchStepAnatomy& anatomy, IdleTime idle);

    /// @param steps all steps of the trace, whose parts get their times
    void SetTimes(std::vector<TorchStep>& steps);

    /// @return the collectives' kernels of a step, by start; @param step its index
    const std::vector<TorchCollective>& GetCollectives(std::size_t step) const
    {
        return m_collectives[step];
    }

    /// @return number of the GPU that ran most kernels, or empty if there are none
    const std::string& GetGpu() const
    {
        return m_gpu;
    }

    /// @return kernels that belong to a step
    uint64_t GetKernels() const
    {
        return m_kernels;
    }

    /// @return kernels of unknown origin, from outside the steps, or on another GPU
    uint64_t GetStrayKernels() const
    {
        return m_strays;
    }

  private:
    /// A time during which a part ran.
    struct Piece
    {
        int64_t start; //!< ns
        int64_t end;   //!< ns
        uint32_t part; //!< index in its step
    };

    /// @return index of the event that launched @p kernel, or NONE
    uint32_t FindEvent(const TorchKernel& kernel) const;
    /// @return index of the event during which the call that launched @p kernel was made, or NONE
    uint32_t FindCaller(const TorchKernel& kernel) const;
    /// Tell the pieces of all steps. @param steps all steps
    void FindKernels(const std::vector<TorchStep>& steps);
    /// @param step to be timed; @param pieces of it, by start; @param collectives during it
    void SetTimes(TorchStep& step,
                  const std::vector<Piece>& pieces,
                  const std::vector<TorchCollective>& collectives) const;

    /**
     * @brief Let `compute/before-update` end when the update starts, and `compute/after-update`
     * when the step ends: idle time before them is theirs, not that of an update, which runs
     * elsewhere.
     * @param step whose parts are timed
     */
    static void MoveGlue(TorchStep& step);

    const TorchTrace& m_trace;                                        //!< the trace
    const TorchStepAnatomy& m_anatomy;                                //!< what belongs together
    IdleTime m_idle;                                                  //!< what becomes of gaps
    std::string m_gpu;                                                //!< number of the GPU
    std::vector<std::vector<Piece>> m_pieces;                         //!< of each step
    std::vector<std::vector<TorchCollective>> m_collectives;          //!< of each step
    std::unordered_map<uint64_t, uint32_t> m_byId;                    //!< events by "External id"
    std::unordered_map<uint64_t, const TorchLaunch*> m_byCorrelation; //!< launches
    uint64_t m_kernels{0};                                            //!< kernels of steps
    uint64_t m_strays{0};                                             //!< others
};

} // namespace ns3::dml

#endif /* DML_TORCH_STEP_TIMER_H */
