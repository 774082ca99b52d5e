/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The parts of ReadProfile(), each in a file dml-profile-reader-*.cc of its own.

#ifndef DML_PROFILE_READER_PARTS_H
#define DML_PROFILE_READER_PARTS_H

#include "ns3/dml-profile.h"
#include "ns3/dml-yaml-field.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-scenario
 * @brief Reads the list `ops` of a profile into a profile whose tensors and devices are known.
 *
 * Call the methods once each, in the order of their declaration.
 */
class ProfileOpsReader
{
  public:
    /**
     * @param profile to fill; must outlive the reader
     * @param ops the list
     */
    ProfileOpsReader(Profile& profile, const YamlField& ops);

    /// @brief Read names, kinds, tensors, devices, inline durations and bytes that ops hold.
    /// @param memory whether the profile's version knows the keys of the latter
    void ReadOps(bool memory);
    /// @brief Read dependencies, which may name ops that are listed later.
    void ReadDependencies();
    /**
     * @brief Read the file of samples if there is one, and give every op one value per step.
     * @param field the key `samples`; may be missing
     * @param folder that the file's path starts from
     */
    void ReadSamples(const YamlField& field, const std::string& folder);
    /// @param error of Profile::Validate(); @return the field at fault: a dependency, or an op
    YamlField Locate(const ProfileError& error) const;

  private:
    /// @param field one op; @return the op, not yet in the profile
    Op ReadOp(const YamlField& field);
    /// @param field one op; @param op what was read of it; @return index of its device
    uint32_t ReadDevice(const YamlField& field, const Op& op) const;
    /// @param field one op; @param op what was read of it; @return index of its tensor
    TensorIndex ReadTensor(const YamlField& field, const Op& op) const;
    /// @param field one op; @param op what was read of it; @return its inline durations, if any
    std::vector<double> ReadDurations(const YamlField& field, const Op& op) const;
    /// @brief Repeat the values given as `seconds`; check that all ops have as many values.
    void EqualiseSamples();

    Profile& m_profile;                                     //!< to fill
    std::vector<YamlField> m_fields;                        //!< the ops, with remarks
    std::unordered_map<std::string, OpIndex> m_index;       //!< ops by name
    std::unordered_map<std::string, TensorIndex> m_tensors; //!< tensors by name
};

/**
 * @brief Read the file of samples beside a profile.
 *
 * CSV as RFC 4180: a header of op names in any order (quoted where they hold commas or quotes),
 * then one row per measured step, in seconds. There must be one column for each op that has no
 * duration in the profile, and no other column.
 * @param path of the CSV file
 * @param expected names of the ops without a duration, in listing order
 * @param others names of the profile's other ops, for better errors
 * @return seconds of every step by op name
 * @throws InputError as "file:line:column: found ...; accepted: ..."
 */
std::map<std::string, std::vector<double>> ReadSampleFile(const std::string& path,
                                                          const std::vector<std::string>& expected,
                                                          const std::vector<std::string>& others);

/**
 * @ingroup dml-scenario
 * @brief Read the list `buckets` of a profile: gradients that were reduced together.
 *
 * All buckets name their tensors, or none does: then all have bytes, and are filled with gradients
 * in the order in which a step generates them.
 * @param field the list; may be missing
 * @param profile to fill, valid but for its buckets
 * @throws InputError at the place of what is wrong: an unknown tensor, one without a push or in two
 * buckets, bytes that are not those of the tensors, or times that do not fit together
 */
void ReadProfileBuckets(const YamlField& field, Profile& profile);

} // namespace ns3::dml

#endif /* DML_PROFILE_READER_PARTS_H */
