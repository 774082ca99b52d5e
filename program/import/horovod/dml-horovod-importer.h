/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOROVOD_IMPORTER_H
#define DML_HOROVOD_IMPORTER_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Give a profile the buckets that a timeline of Horovod shows.
 *
 * A timeline knows tensors and collectives but no computation, so ImportOptions::profile names a
 * profile of the same job, whose buckets are replaced. A step ends when a tensor is reduced anew.
 * As Horovod fuses what happens to be ready, buckets may differ from step to step: those of most
 * steps are taken.
 *
 * A tensor of the timeline is that of the profile with its name, with or without what is before a
 * dot or a slash; or, of those left over, that of its size, if there are as many of that size in
 * both: then in the order in which their gradients come.
 *
 * @param files timelines, of which only one is accepted
 * @param options the user's choices, with a profile
 * @return the profile with buckets
 * @throws InputError naming the file if it is no such timeline, or the tensor that fits none
 */
ImportResult ImportHorovod(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of timelines of Horovod
ImportFormat HorovodFormat();

} // namespace ns3::dml

#endif /* DML_HOROVOD_IMPORTER_H */
