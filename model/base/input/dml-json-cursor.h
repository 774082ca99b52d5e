/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JSON_CURSOR_H
#define DML_JSON_CURSOR_H

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Arrays and objects of JSON may lie in each other so deep: what reads and writes them recurses.
constexpr std::size_t MAX_JSON_LEVELS = 64;

/**
 * @ingroup dml-base
 * @brief Find out before parsing whether JSON nests too deeply.
 * @param json any text
 * @return offset of the first bracket that goes deeper than MAX_JSON_LEVELS; npos if none does
 */
std::size_t FindDeepJson(std::string_view json);

/**
 * @ingroup dml-base
 * @brief A place in a JSON file, for importers whose error messages say where.
 *
 * Cheap to copy; the file lives as long as a cursor to it. Every error is an InputError that
 * starts with "file:line:column: /path/of/the/value".
 */
class JsonCursor
{
  public:
    /**
     * @brief Read and parse a whole file.
     * @param input where the text comes from
     * @param file name of the file in messages
     * @return the file's outermost value
     * @throws InputError if the text cannot be read or is not JSON
     */
    static JsonCursor Parse(std::istream& input, const std::string& file);

    /// @param key name of a member; @return true if this is an object that has it
    bool Has(const std::string& key) const;
    /**
     * @param key name of a member
     * @return the member
     * @throws InputError if this is no object or has no such member
     */
    JsonCursor Get(const std::string& key) const;
    /// @return the elements of this array; @throws InputError if it is none
    std::vector<JsonCursor> GetItems() const;
    /// @return names and values of this object's members by name; @throws InputError if it is none
    std::vector<std::pair<std::string, JsonCursor>> GetMembers() const;
    /// @return whether null is here
    bool IsNull() const;

    /// @return the string here; @throws InputError if it is none
    std::string GetString() const;
    /// @return the string or number here as text; @throws InputError if it is neither
    std::string GetText() const;
    /// @return the values in this object and in those within it, as text, by key path such as
    /// "network.rate"; lists are one value; @throws InputError if this is no object
    std::map<std::string, std::string> GetLeaves() const;
    /**
     * @param min smallest value accepted
     * @param max largest value accepted
     * @return the whole number here
     * @throws InputError if it is none, or out of range
     */
    uint64_t GetUnsigned(uint64_t min, uint64_t max) const;
    /// @return the number here, always finite; @throws InputError if it is none
    double GetNumber() const;

    /**
     * @brief Refuse the value.
     * @param what what was found and what is accepted
     * @throws InputError always
     */
    [[noreturn]] void Fail(const std::string& what) const;

  private:
    struct Document;

    JsonCursor(std::shared_ptr<const Document> document,
               const nlohmann::json* value,
               std::vector<std::string> path);
    /// @param fits whether the value is of the type @param accepted what should have been here
    /// @return it @throws InputError unless it fits
    const nlohmann::json& Checked(bool fits, std::string_view accepted) const;
    /// @param accepted what should have been here; @throws InputError always
    [[noreturn]] void FailType(std::string_view accepted) const;
    /// @return offset of the value in the text, in bytes
    std::size_t Locate() const;

    std::shared_ptr<const Document> m_document; //!< the file
    const nlohmann::json* m_value;              //!< the value here
    std::vector<std::string> m_path;            //!< keys and indices from the outermost value
};

} // namespace ns3::dml

#endif /* DML_JSON_CURSOR_H */
