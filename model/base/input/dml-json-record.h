/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JSON_RECORD_H
#define DML_JSON_RECORD_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/// What a field of a JsonRecord holds.
enum class JsonType : uint8_t
{
    STRING, //!< text without quotes and escapes
    NUMBER, //!< as written
    WORD,   //!< true, false or null
    ARRAY,  //!< compact JSON text
};

/**
 * @ingroup dml-base
 * @brief One element of a list in a JSON file that is read as a stream.
 *
 * Objects inside it are flattened: `{"dur": 3, "args": {"name": "x"}}` has the fields "dur" and
 * "args.name". An array is one field that holds its JSON text. Every error is an InputError that
 * starts with "file:line:column: /path/of/the/value".
 */
class JsonRecord
{
  public:
    /// What GetList() returns for the members of the file's outermost object.
    static constexpr const char* HEADER = "header";

    /// @param key name of a field; @return true if the record has it
    bool Has(std::string_view key) const
    {
        return Find(key) != nullptr;
    }

    /// @param key name of a field; @return its text, whatever its type; empty if it is missing
    std::string_view GetText(std::string_view key) const;

    /// @param key name of a field; @return the string there; @throws InputError if it is none
    std::string GetString(std::string_view key) const;
    /**
     * @param key name of a field
     * @param min smallest value accepted
     * @param max largest value accepted
     * @return the whole number there (a number, or a string that is one)
     * @throws InputError if it is none, missing or out of range
     */
    int64_t GetInteger(std::string_view key, int64_t min, int64_t max) const;
    /**
     * @brief A time that the file gives in microseconds, with or without decimals.
     * @param key name of a field
     * @return nanoseconds, exact to the last of three decimals and rounded after it
     * @throws InputError if it is no number, missing, or its size above 4e15 us
     */
    int64_t GetNanoseconds(std::string_view key) const;

    /// @return number of fields, which have the indices below it in the file's order
    std::size_t GetFieldCount() const
    {
        return m_size;
    }

    /// @param field its index; @return its name
    std::string_view GetFieldKey(std::size_t field) const
    {
        return m_fields[field].key;
    }

    /// @param field its index; @return the string there; @throws InputError if it is none
    std::string GetFieldString(std::size_t field) const;

    /// @param most number of keys that are enough; @return keys of the first fields,
    /// comma-separated
    std::string ListKeys(std::size_t most) const;

    /// @return name of the list that the record is an element of
    const std::string& GetList() const
    {
        return m_list;
    }

    /// @return place of the record in its list, from 0
    uint64_t GetIndex() const
    {
        return m_index;
    }

    /// @return how many characters of it were no JSON, and mended (JsonRecordReader::Faults)
    uint64_t GetMendedCount() const
    {
        return m_mended;
    }

    /// @return "file:line:column" of the record's start
    std::string GetPlace() const;

    /**
     * @brief Refuse a value.
     * @param key name of a field, there or missing; empty for the record as a whole
     * @param what what is accepted
     * @throws InputError always, with the value found
     */
    [[noreturn]] void Fail(std::string_view key, const std::string& what) const;

  private:
    friend class JsonRecordHandler;

    /// One field.
    struct Field
    {
        std::string key;    //!< name, with dots
        std::string text;   //!< content
        JsonType type;      //!< of the content
        uint64_t line{0};   //!< of its end
        uint64_t column{0}; //!< of its end
    };

    /// @param key name of a field; @return it, or null
    const Field* Find(std::string_view key) const;

    const std::string* m_file{nullptr}; //!< name in messages
    std::string m_list;                 //!< name of the list
    uint64_t m_index{0};                //!< place in the list
    uint64_t m_line{0};                 //!< of its start
    uint64_t m_column{0};               //!< of its start
    uint64_t m_mended{0};               //!< characters that were no JSON
    std::vector<Field> m_fields;        //!< storage, reused from record to record
    std::size_t m_size{0};              //!< fields in use
};

} // namespace ns3::dml

#endif /* DML_JSON_RECORD_H */
