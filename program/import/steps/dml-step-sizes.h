/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_SIZES_H
#define DML_STEP_SIZES_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// How much a step worked on, in something that grows with its batch size.
struct StepSize
{
    std::string file;   //!< where it was read
    std::string place;  //!< "file: ProfilerStep#3", for messages
    uint64_t amount{0}; //!< 0 if the trace does not tell
};

/// What amounts of steps are called.
struct StepSizeUnit
{
    const char* name;    //!< of one, as "sample"
    const char* detail;  //!< behind it, as " in the first op that tells them", or empty
    const char* remedy;  //!< how to record traces that tell it, as "record_shapes=True does"
    double tolerance{0}; //!< amounts that differ by no more than this part are the same
};

/**
 * @ingroup dml-import
 * @brief Find steps of another batch size than most, such as the last one of an epoch.
 *
 * In a file, the usual amount is the one that most of its steps have, of equally many the larger
 * one, if half of those whose amount is known have it: others are not kept. Files of one step each
 * count as one file. Where no amount is usual, as in models of sequences, all steps are kept.
 * @param steps of one job
 * @param unit what their amounts are called
 * @param[in,out] rules gets a sentence if there are several steps and no amount is known
 * @param[in,out] warnings gets a sentence for each step that is not kept, and one if those that are
 * have different amounts
 * @return for each step whether it is kept, which is true of at least one
 * @throws InputError if files differ in their usual amounts, or files of one step each have two
 * amounts, as many the one as the other
 */
std::vector<bool> FindStepsOfOneSize(const std::vector<StepSize>& steps,
                                     const StepSizeUnit& unit,
                                     std::vector<std::string>& rules,
                                     std::vector<std::string>& warnings);

} // namespace ns3::dml

#endif /* DML_STEP_SIZES_H */
