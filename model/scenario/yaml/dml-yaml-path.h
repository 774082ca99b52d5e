/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_YAML_PATH_H
#define DML_YAML_PATH_H

#include "dml-yaml-node.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-scenario
 * @brief A key path such as "job.workers[2]", to put a value into a document.
 *
 * Where a document has a list, a number stands for the item: "faults.0.at" is "faults[0].at".
 */
class YamlPath
{
  public:
    /// What to do with a single value that the path leads through.
    enum class SingleValue
    {
        REFUSE,  //!< fail
        REPLACE, //!< put a map in its place, with the one key of the path
    };

    /**
     * @param text keys separated by dots, each followed by [index] any number of times
     * @param mark where the path was given, for errors and for keys that Set() creates
     * @param tables paths of maps whose keys may hold dots: all that follows is one key; also of
     * items of a list there
     * @throws InputError if @p text is no such path
     */
    YamlPath(const std::string& text, YamlMark mark, const std::vector<std::string>& tables);

    /**
     * @brief Put a value where the path leads; maps on the way are created when missing.
     * @param root document, left as it is
     * @param value new value
     * @param single what to do with a single value on the way
     * @return the changed document, which shares what has not changed with @p root
     * @throws InputError if the path leads through something that is no map or no such list item
     */
    YamlNodePtr Set(const YamlNodePtr& root,
                    const YamlNodePtr& value,
                    SingleValue single = SingleValue::REFUSE) const;

    /// @param root document; @return the value where the path leads, null if there is none
    YamlNodePtr Find(const YamlNodePtr& root) const;

    /// @param other a path; @return true if it leads to the same place or to a place inside this
    bool Contains(const YamlPath& other) const;

    /// @return the path as given
    const std::string& GetText() const
    {
        return m_text;
    }

  private:
    /// One part of the path: a key of a map, or an index of a list.
    struct Part
    {
        std::string key;                  //!< name; empty if it is an index
        std::optional<std::size_t> index; //!< that it is, or that its key may stand for in a list

        /// @return whether it is a key
        bool IsKey() const
        {
            return !key.empty();
        }
    };

    /// @throws InputError if there can be no further part
    void CheckLevels() const;
    /// @param text one part between dots, with its indices
    void AddKey(const std::string& text);
    /// @param node what to change; @param depth of the part to follow; @param value new value
    /// @param single what to do with a single value
    YamlNodePtr SetBelow(const YamlNodePtr& node,
                         std::size_t depth,
                         const YamlNodePtr& value,
                         SingleValue single) const;
    /// @param depth number of parts that the error is about; @param found and @param accepted text
    [[noreturn]] void Fail(std::size_t depth,
                           const std::string& found,
                           const std::string& accepted) const;

    std::string m_text;        //!< as given
    YamlMark m_mark;           //!< where it was given
    std::vector<Part> m_parts; //!< at least one
};

} // namespace ns3::dml

#endif /* DML_YAML_PATH_H */
