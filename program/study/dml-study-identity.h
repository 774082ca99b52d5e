/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_IDENTITY_H
#define DML_STUDY_IDENTITY_H

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Everything that the results of a study depend on, in named parts: its variants, the
 * engines, the program. Results are only put together if they answer the same question.
 *
 * Parts are kept as text: a sweep may have thousands of them.
 */
class StudyIdentity
{
  public:
    /// @param name of a part, unlike all others' @param value of it
    void Add(const std::string& name, const nlohmann::ordered_json& value);

    /// @return a JSON object with one part in each line
    std::string GetText() const;

    /// @return checksum of the text
    std::string GetName() const;

    /**
     * @param was another question, as GetText() gives it
     * @param without name of a part that may differ, such as PROGRAM, or nothing
     * @return the first difference and how many more there are, such as "scenario.job.steps is 20
     * and was 10, and 2 more differences"; empty if there is none
     */
    std::string DescribeDifference(const std::string& was, const std::string& without = "") const;

    /// Name of the part that tells programs apart.
    static constexpr const char* PROGRAM = "checksum of the program";

  private:
    /// A name, and the value as JSON in one line.
    using Part = std::pair<std::string, std::string>;

    std::vector<Part> m_parts; //!< in the order of Add()
};

/// @return checksum of the library's file, as a name for this build of the program
std::string GetBuildName();

} // namespace ns3::dml

#endif /* DML_STUDY_IDENTITY_H */
