/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_YAML_PATH_H
#define DML_YAML_PATH_H

#include "dml-yaml-node.h"

#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-scenario
 * @brief A key path such as "job.workers[2]", to put a value into a document.
 */
class YamlPath
{
  public:
    /**
     * @param text keys separated by dots, each followed by [index] any number of times
     * @param mark where the path was given, for errors and for keys that Set() creates
     * @param tables paths of maps whose keys may hold dots: all that follows is one key
     * @throws InputError if @p text is no such path
     */
    YamlPath(const std::string& text, YamlMark mark, const std::vector<std::string>& tables);

    /**
     * @brief Put a value where the path leads; maps on the way are created when missing.
     * @param root document, left as it is
     * @param value new value
     * @return the changed document, which shares what has not changed with @p root
     * @throws InputError if the path leads through something that is no map or no such list item
     */
    YamlNodePtr Set(const YamlNodePtr& root, const YamlNodePtr& value) const;

    /// @param other a path; @return true if it leads to the same place or to a place inside this
    bool Contains(const YamlPath& other) const;

    /// @return the path as given
    const std::string& GetText() const;

  private:
    /// One part of the path: a key of a map, or an index of a list.
    struct Part
    {
        std::string key;      //!< name, if it is a key
        bool isIndex{false};  //!< it is an index
        std::size_t index{0}; //!< from 0, if it is an index

        /// @param other a part; @return true if both are the same
        bool operator==(const Part& other) const;
    };

    /// @param text one part between dots, with its indices
    void AddKey(const std::string& text);
    /// @param node what to change; @param depth of the part to follow; @param value new value
    YamlNodePtr SetBelow(const YamlNodePtr& node,
                         std::size_t depth,
                         const YamlNodePtr& value) const;
    /// @param depth number of parts; @return the path up to there
    std::string GetPrefix(std::size_t depth) const;
    /// @param depth number of parts that the error is about; @param found and @param accepted text
    [[noreturn]] void Fail(std::size_t depth,
                           const std::string& found,
                           const std::string& accepted) const;

    std::string m_text;        //!< as given
    YamlMark m_mark;           //!< where it was given
    std::vector<Part> m_parts; //!< at least one
};

} // namespace dml
} // namespace ns3

#endif /* DML_YAML_PATH_H */
