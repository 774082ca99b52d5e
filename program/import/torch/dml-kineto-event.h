/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KINETO_EVENT_H
#define DML_KINETO_EVENT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ns3::dml
{

class JsonRecord;
struct TorchTrace;

/// What an event of a Kineto trace is about.
enum class KinetoCategory : uint8_t
{
    HOST,   //!< an op or an annotation
    DEVICE, //!< something that ran on a GPU
    CALL,   //!< a call of the GPU's driver
    OTHER,  //!< nothing that tells times of ops
};

/// @param name of a category, since PyTorch 1.11 or before it @return what its events are about
KinetoCategory GetKinetoCategory(std::string_view name);

/**
 * @param record an event
 * @return its start and its end, ns on the trace's clock
 * @throws InputError if they are out of range
 */
std::pair<int64_t, int64_t> GetKinetoTimes(const JsonRecord& record);

/**
 * @param record an event
 * @param key of a number
 * @return the number, 0 if there is none
 * @throws InputError if it is none, or below 0
 */
uint64_t GetKinetoId(const JsonRecord& record, std::string_view key);

/// @param record an event @return number of the op that it belongs to, 0: of none
uint64_t GetKinetoExternalId(const JsonRecord& record);

/// @param record an event @return number that a call and what it launched have in common, or 0
uint64_t GetKinetoCorrelation(const JsonRecord& record);

/// @param record what ran on a GPU @return number of the GPU
std::string_view GetKinetoDevice(const JsonRecord& record);

/// @param record an event @param thread gets the name of the thread, of its process and its own
void GetKinetoThread(const JsonRecord& record, std::string& thread);

/// @param header of a trace @param trace gets its rank, workers and backend
void ReadKinetoDistribution(const JsonRecord& header, TorchTrace& trace);

} // namespace ns3::dml

#endif /* DML_KINETO_EVENT_H */
