/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JSON_RECORD_READER_H
#define DML_JSON_RECORD_READER_H

#include "dml-json-record.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3::dml
{

class TraceInput;

/**
 * @ingroup dml-base
 * @brief Reads the lists of records in a JSON file one record at a time (RapidJSON's SAX parser).
 *
 * Not nlohmann's, which reads the small files: it refuses the NaN that Kineto writes, and turns
 * numbers into doubles. The file is an object, or an array that is itself the only list (named "").
 * Memory does not grow with the file; a record must be below 64 MiB and 64 levels deep.
 */
class JsonRecordReader
{
  public:
    /// Gets a record, valid during the call; returns false to read no further.
    using OnRecord = std::function<bool(const JsonRecord&)>;

    /// What to do about a file that ends too early.
    enum class Truncation : uint8_t
    {
        REFUSE, //!< refuse it
        ACCEPT, //!< take the records that are complete
    };

    /// What to do about text that is no JSON though some writers write it.
    enum class Faults : uint8_t
    {
        REFUSE, //!< refuse it
        MEND,   //!< read control characters and what is no UTF-8 as '?', inf and nan as numbers
    };

    /**
     * @param lists names of the outermost object's members whose elements are records
     * @param truncation what to do about a file that ends too early
     * @param faults what to do about text that is no JSON; records tell what was mended
     */
    explicit JsonRecordReader(std::vector<std::string> lists,
                              Truncation truncation = Truncation::REFUSE,
                              Faults faults = Faults::REFUSE);

    /**
     * @brief Read a file to its end, or until a callback returns false.
     *
     * Members of the outermost object that are no such list are fields of one last record, the
     * header, whose GetList() is JsonRecord::HEADER. It is passed on when the file ends.
     * @param input the file
     * @param onRecord called for each record
     * @return true unless the file ends too early and Truncation::ACCEPT takes it so
     * @throws InputError if it is not JSON, ends too early, or a record is too large
     */
    bool Read(TraceInput& input, const OnRecord& onRecord) const;

  private:
    std::vector<std::string> m_lists; //!< names of the lists
    Truncation m_truncation;          //!< what to do about a file that ends too early
    Faults m_faults;                  //!< what to do about text that is no JSON
};

} // namespace ns3::dml

#endif /* DML_JSON_RECORD_READER_H */
