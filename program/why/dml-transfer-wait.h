/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_WAIT_H
#define DML_TRANSFER_WAIT_H

#include "ns3/dml-recorded-job.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ns3::dml
{

/// What became of a transfer, or collective, in all steps together.
struct TransferWait
{
    double seconds{0}; //!< from when it could be sent until it was there
    double others{0};  //!< time integral of others that were under way on the same device role
    uint32_t count{0}; //!< how often

    /// @return seconds from when it could be sent until it was there
    double GetMean() const
    {
        return count > 0 ? seconds / count : 0;
    }

    /// @return how many others were under way beside it
    double GetOthers() const
    {
        return seconds > 0 ? others / seconds : 0;
    }
};

/// Name and kind of a transfer.
using TransferKey = std::pair<std::string, JobOpKind>;

/// @param job that ran @return what became of each transfer, first steps left out
std::map<TransferKey, TransferWait> MeasureTransfers(const RecordedJob& job);

/// What a transfer waits for, mean seconds from when it could be sent until it is there.
struct TransferState
{
    double queued{0};   //!< others are on its connection, in its direction
    double sending{0};  //!< it is being handed over
    double held{0};     //!< nothing is: its window is closed, or a protocol waits
    double onItsWay{0}; //!< all is handed over: it is in buffers, in queues, on the wire
    /// What it waits for longest of what is there before it: on its connection until it is handed
    /// over, then on the way to or from the same server; "": none.
    std::string ahead;
    bool aheadIsOwn{false}; //!< these are of the same worker
    double aheadCount{0};   //!< how many of these, on average
};

/**
 * @ingroup dml-why
 * @param job that ran
 * @param key of a transfer of it
 * @return in which states it was, first steps left out
 */
TransferState MeasureState(const RecordedJob& job, const TransferKey& key);

} // namespace ns3::dml

#endif /* DML_TRANSFER_WAIT_H */
