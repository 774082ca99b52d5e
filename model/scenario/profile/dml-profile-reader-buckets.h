/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_READER_BUCKETS_H
#define DML_PROFILE_READER_BUCKETS_H

#include "ns3/dml-profile.h"
#include "ns3/dml-yaml-field.h"

namespace ns3::dml
{

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

#endif /* DML_PROFILE_READER_BUCKETS_H */
