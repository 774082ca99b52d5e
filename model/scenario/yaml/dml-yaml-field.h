/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_YAML_FIELD_H
#define DML_YAML_FIELD_H

#include "dml-yaml-node.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-scenario
 * @brief A value in a YAML file that knows its position and key path, and is read with checks.
 *
 * A field may be missing (its key was not given): then it is false as a condition and every
 * getter fails. All getters throw InputError of the form
 * "file:line:column: key.path: found X; accepted: Y".
 */
class YamlField
{
  public:
    /// A key path that belongs to another map, offered when its last part is used in a wrong place.
    using Elsewhere = std::vector<std::string>;

    /**
     * @param root root of a document
     * @param listHint explains a list that stands where one value is expected (appended to the
     * error; every "%" in it is replaced by the key path); empty for none
     */
    explicit YamlField(YamlNodePtr root, std::string listHint = "");

    /// @return true if the key was given (possibly without a value)
    explicit operator bool() const
    {
        return m_exists;
    }

    /// @return key path, such as "job.workers[2]"; empty for the root
    const std::string& GetPath() const
    {
        return m_path;
    }

    /// @return the node; of a missing field, that of the nearest map around it
    const YamlNodePtr& GetNode() const
    {
        return m_node;
    }

    /// @return the source of the document's root: its file
    const std::string& GetFile() const
    {
        return *m_root->mark.source;
    }

    /// @return true if the value is a list
    bool IsList() const
    {
        return Is(YamlNode::Kind::LIST);
    }

    /// @return true if the value is one word or text
    bool IsScalar() const
    {
        return Is(YamlNode::Kind::SCALAR);
    }

    /// @param word any text; @return true if that is the value
    bool IsWord(const std::string& word) const
    {
        return Is(YamlNode::Kind::SCALAR) && m_node->text == word;
    }

    /// @return true if the value is a map
    bool IsMap() const
    {
        return Is(YamlNode::Kind::MAP);
    }

    /**
     * @brief The value of a key of this map.
     * @param key name
     * @return the field; missing if there is no such key or this field is missing
     */
    YamlField Get(const std::string& key) const;

    /**
     * @brief Put a remark before what was found, in errors of this field and of those below.
     * @param remark such as "op 'forward/conv1'"
     * @return the field with the remark
     */
    YamlField WithRemark(std::string remark) const;

    /**
     * @brief Check that this is a map with no other keys than those accepted.
     * @param accepted names
     * @param elsewhere full paths of keys of other maps, for suggestions
     */
    void CheckKeys(const std::vector<std::string>& accepted, const Elsewhere& elsewhere = {}) const;

    /// @param accepted what the error calls the value; @return items of a list
    std::vector<YamlField> GetItems(const std::string& accepted) const;
    /// @param accepted what the error calls the value; @return entries of a map
    std::vector<std::pair<std::string, YamlField>> GetEntries(const std::string& accepted) const;
    /// @param accepted what the error calls the value; @return text that is not empty
    const std::string& GetString(const std::string& accepted) const;
    /// @param accepted what the error calls the value; @return text, possibly empty
    const std::string& GetText(const std::string& accepted) const;
    /// @return true or false
    bool GetBool() const;
    /**
     * @param choices accepted words
     * @param alternative for the error: what else the key accepts, empty if nothing
     * @return one of the words
     */
    const std::string& GetChoice(const std::vector<std::string>& choices,
                                 const std::string& alternative = "") const;
    /// @param low smallest and @param high largest value accepted; @return an integer
    uint64_t GetInteger(uint64_t low, uint64_t high) const;
    /// @param high largest value accepted; @param what unit for the error; @return number >= 0
    double GetNumber(double high, const std::string& what) const;
    /**
     * @param low smallest value accepted
     * @param high largest value accepted
     * @param alternative for the error: what else the key accepts, empty if nothing
     * @return bytes
     */
    uint64_t GetSize(uint64_t low, uint64_t high, const std::string& alternative = "") const;
    /// @return a rate above 0
    DataRate GetRate() const;
    /// @param low smallest value accepted; @return a time of at most 1000000 s
    Time GetTime(const Time& low) const;

    /// Refuse the value. @param accepted what would be accepted
    [[noreturn]] void Fail(const std::string& accepted) const;

    /**
     * @brief Refuse a value of which it may be known what was meant.
     * @param meant the value that would have been right, or an empty text
     * @param accepted what would be accepted
     */
    [[noreturn]] void FailMeant(const std::string& meant, const std::string& accepted) const;

    /**
     * @brief Refuse the value, in other words than "found ...; accepted: ...".
     * @param text the whole message after position and key path
     */
    [[noreturn]] void FailWith(const std::string& text) const;

  private:
    /// @param kind any; @return whether the value is of it
    bool Is(YamlNode::Kind kind) const
    {
        return m_exists && m_node->kind == kind;
    }

    /// @param node in this one; @param path of it; @return its field
    YamlField Enter(const YamlNodePtr& node, std::string path) const;

    YamlNodePtr m_root;     //!< never null
    YamlNodePtr m_node;     //!< never null; if missing, the map around
    bool m_exists{true};    //!< the key was given
    std::string m_path;     //!< key path
    std::string m_remark;   //!< see WithRemark
    std::string m_listHint; //!< see the constructor
};

} // namespace ns3::dml

#endif /* DML_YAML_FIELD_H */
