/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MEMORY_QUESTION_H
#define DML_MEMORY_QUESTION_H

#include "ns3/dml-memory-model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A way to train, and what it takes.
struct MemoryChoice
{
    std::string name;        //!< for a person
    MemoryOptions options;   //!< how it trains
    MemoryForecast forecast; //!< of it
};

/**
 * @ingroup dml-search
 * @brief What ways to train the job of a profile need.
 */
class MemoryQuestion
{
  public:
    /**
     * @param path of the profile
     * @param batch samples of a step; by default those of the profile
     * @param optimizer "sgd", "momentum" or "adam"
     * @throws InputError if it is no profile, or does not tell what its ops keep
     */
    MemoryQuestion(std::string path,
                   const std::optional<uint32_t>& batch,
                   const std::string& optimizer);

    /// @return the profile
    const Profile& GetProfile() const
    {
        return m_profile;
    }

    /// @return samples of a step
    uint32_t GetBatch() const
    {
        return m_options.batch;
    }

    /// @return number of forward ops
    uint32_t CountForward() const;

    /// @return what it takes as it is
    MemoryChoice TryPlain() const;
    /// @param segments number or names of ops; empty: as many as Chen et al. have
    /// @return what it takes with segments that are recomputed
    /// @throws InputError if there are none of these, or what ops hand on is not known
    MemoryChoice TryRecomputing(const std::string& segments) const;
    /// @param passes of a step @return what it takes with gradients that are added up
    /// @throws InputError if they do not divide the batch
    MemoryChoice TryAccumulating(uint32_t passes) const;

  private:
    MemoryForecast Forecast(const MemoryOptions& options) const;
    std::vector<OpIndex> ReadSegments(const std::string& text) const;

    std::string m_path;           //!< of the profile
    Profile m_profile;            //!< the job
    MemoryOptions m_options;      //!< as it is
    std::vector<OpIndex> m_order; //!< in which compute ops run
};

} // namespace ns3::dml

#endif /* DML_MEMORY_QUESTION_H */
