/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-yaml-parser.h"

#include "dml-yaml-mistake.h"
#include "dml-yaml-text.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace ns3::dml
{

namespace
{

/// Aliases may unfold to so many nodes in total; "billion laughs" files go far beyond.
constexpr std::size_t MAX_ALIASED = 1000000;

/**
 * Builds YamlNodes from yaml-cpp's events. Events instead of YAML::Node because only they show
 * duplicate keys, and because they carry the position of keys.
 */
class TreeBuilder : public YAML::EventHandler
{
  public:
    TreeBuilder(std::string source, bool hasLines)
        : m_source(std::make_shared<const std::string>(std::move(source))),
          m_hasLines(hasLines)
    {
    }

    YamlNodePtr GetRoot() const
    {
        return m_root;
    }

    YamlMark Locate(const YAML::Mark& mark) const
    {
        if (!m_hasLines || mark.is_null())
        {
            return {m_source, 0, 0};
        }
        return Locate(mark.line + 1U, mark.column + 1U);
    }

    YamlMark Locate(uint32_t line, uint32_t column) const
    {
        return {m_source, line, column};
    }

    void OnDocumentStart(const YAML::Mark& mark) override
    {
        if (m_root)
        {
            throw InputError(Locate(mark).ToString() +
                             ": found a second YAML document; accepted: one per file");
        }
    }

    void OnDocumentEnd() override
    {
    }

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        auto node = std::make_shared<YamlNode>();
        node->mark = Locate(mark);
        if (!m_stack.empty() && m_stack.back().hasKey)
        {
            node->mark = m_stack.back().keyMark;
        }
        Place(Remember({node}, anchor), mark);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto target = m_anchors.find(anchor);
        if (target == m_anchors.end())
        {
            Refuse(Locate(mark), "found an alias of a node that contains it; accepted: no cycles");
        }
        const Finished& finished = target->second;
        m_aliased += finished.unfolded;
        if (m_aliased > MAX_ALIASED)
        {
            Refuse(Locate(mark),
                   "found aliases that unfold to more than " + std::to_string(MAX_ALIASED) +
                       " nodes; accepted: fewer");
        }
        Place(finished, mark);
    }

    void OnScalar(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  const std::string& value) override
    {
        CheckTag(mark, tag);
        auto node = std::make_shared<YamlNode>();
        node->kind = YamlNode::Kind::SCALAR;
        node->mark = Locate(mark);
        node->text = value;
        Place(Remember({node}, anchor), mark);
    }

    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string& tag,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /* style */) override
    {
        Open(YamlNode::Kind::LIST, mark, tag, anchor);
    }

    void OnSequenceEnd() override
    {
        Close();
    }

    void OnMapStart(const YAML::Mark& mark,
                    const std::string& tag,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /* style */) override
    {
        Open(YamlNode::Kind::MAP, mark, tag, anchor);
    }

    void OnMapEnd() override
    {
        Close();
    }

  private:
    /// A node that has been read.
    struct Finished
    {
        YamlNodePtr node;        //!< itself
        std::size_t unfolded{1}; //!< nodes in it and itself, aliases unfolded
        std::size_t levels{0};   //!< of lists and maps in it and itself, aliases unfolded
    };

    /// A list or map that is being read.
    struct Level
    {
        std::shared_ptr<YamlNode> node;                 //!< so far
        YAML::Mark mark;                                //!< its start
        YAML::anchor_t anchor{0};                       //!< its anchor, 0 if none
        std::size_t unfolded{1};                        //!< as Finished has it
        std::size_t levels{1};                          //!< as Finished has it
        bool hasKey{false};                             //!< a key was read, its value not yet
        std::string key;                                //!< the key
        YamlMark keyMark;                               //!< its position
        std::unordered_map<std::string, uint32_t> keys; //!< line of each key so far
    };

    void CheckTag(const YAML::Mark& mark, const std::string& tag) const
    {
        // "?" is yaml-cpp's tag of plain nodes, "!" that of quoted ones
        if (!tag.empty() && tag != "?" && tag != "!")
        {
            Refuse(Locate(mark),
                   "found the tag " + QuoteText(tag, '\'') + "; accepted: YAML without tags");
        }
    }

    Finished Remember(const Finished& finished, YAML::anchor_t anchor)
    {
        if (anchor != YAML::NullAnchor)
        {
            m_anchors[anchor] = finished;
        }
        return finished;
    }

    /// @param levels of lists and maps that lie in the open ones @throws InputError if too many
    void CheckLevels(const YAML::Mark& mark, std::size_t levels) const
    {
        if (m_stack.size() + levels > MAX_YAML_LEVELS)
        {
            throw InputError(Locate(mark).ToString() +
                             ": found lists and maps in each other, more "
                             "than " +
                             std::to_string(MAX_YAML_LEVELS) + " levels deep; accepted: fewer");
        }
    }

    void Open(YamlNode::Kind kind,
              const YAML::Mark& mark,
              const std::string& tag,
              YAML::anchor_t anchor)
    {
        CheckTag(mark, tag);
        CheckLevels(mark, 1);
        Level level;
        level.node = std::make_shared<YamlNode>();
        level.node->kind = kind;
        level.node->mark = Locate(mark);
        level.mark = mark;
        level.anchor = anchor;
        m_stack.push_back(std::move(level));
    }

    void Close()
    {
        const Level level = std::move(m_stack.back());
        m_stack.pop_back();
        Place(Remember({level.node, level.unfolded, level.levels}, level.anchor), level.mark);
    }

    /// Put a finished node where it belongs.
    void Place(const Finished& finished, const YAML::Mark& mark)
    {
        const YamlNodePtr& node = finished.node;
        CheckLevels(mark, finished.levels);
        if (m_stack.empty())
        {
            m_root = node;
            return;
        }
        Level& level = m_stack.back();
        level.unfolded += finished.unfolded;
        level.levels = std::max(level.levels, 1 + finished.levels);
        if (level.node->kind == YamlNode::Kind::LIST)
        {
            level.node->items.push_back(node);
        }
        else if (level.hasKey)
        {
            level.hasKey = false;
            level.node->entries.push_back({level.key, level.keyMark, node});
        }
        else
        {
            PlaceKey(*node, mark);
        }
    }

    void PlaceKey(const YamlNode& node, const YAML::Mark& mark)
    {
        Level& level = m_stack.back();
        if (node.kind != YamlNode::Kind::SCALAR)
        {
            Refuse(Locate(mark), "found " + DescribeYaml(node) + " as a key; accepted: text");
        }
        level.key = node.text;
        level.keyMark = Locate(mark);
        level.hasKey = true;
        const auto [first, isNew] = level.keys.emplace(level.key, level.keyMark.line);
        if (!isNew)
        {
            Refuse(level.keyMark,
                   "found the key a second time; accepted: each key once (first given" +
                       (m_hasLines ? " in line " + std::to_string(first->second) : "") + ")");
        }
    }

    /// @throws InputError with the key path of what is being read, if it is not the root
    [[noreturn]] void Refuse(const YamlMark& mark, const std::string& text) const
    {
        std::string path;
        for (const auto& level : m_stack)
        {
            if (level.node->kind == YamlNode::Kind::LIST)
            {
                path = JoinPath(path, level.node->items.size());
            }
            else if (level.hasKey)
            {
                path = JoinPath(path, PrintableText(level.key));
            }
        }
        throw InputError(mark.ToString() + ": " + (path.empty() ? "" : path + ": ") + text);
    }

    std::shared_ptr<const std::string> m_source; //!< for marks
    bool m_hasLines;                             //!< false: an option, not a file
    YamlNodePtr m_root;                          //!< result
    std::vector<Level> m_stack;                  //!< open lists and maps, outermost first
    std::unordered_map<YAML::anchor_t, Finished> m_anchors; //!< nodes with an anchor
    std::size_t m_aliased{0}; //!< nodes that aliases have unfolded to so far
};

YamlNodePtr
Parse(const std::string& text, const std::string& source, bool hasLines)
{
    TreeBuilder builder(source, hasLines);
    try
    {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder))
        {
        }
    }
    catch (const YAML::Exception& error)
    {
        const auto mistake = hasLines && !error.mark.is_null()
                                 ? FindYamlMistake(text, error.mark.line + 1U)
                                 : std::nullopt;
        if (mistake)
        {
            throw InputError(builder.Locate(mistake->line, mistake->column).ToString() + ": " +
                             mistake->text);
        }
        // To what yaml-cpp 0.7 says 0.8 adds the anchor.
        const std::string noAnchor = "the referenced anchor is not defined";
        const std::string message = error.msg.rfind(noAnchor, 0) == 0 ? noAnchor : error.msg;
        throw InputError(builder.Locate(error.mark).ToString() + ": found invalid YAML (" +
                         message + "); accepted: YAML 1.2");
    }
    if (builder.GetRoot())
    {
        return builder.GetRoot();
    }
    auto empty = std::make_shared<YamlNode>();
    empty->mark = builder.Locate(YAML::Mark());
    return empty;
}

} // namespace

YamlNodePtr
ParseYaml(const std::string& text, const std::string& source)
{
    return Parse(text, source, true);
}

YamlNodePtr
ParseYamlOption(const std::string& text, const std::string& source)
{
    try
    {
        CheckText(text, source);
    }
    catch (const InputError&)
    {
        throw InputError(source + ": found bytes that are no text; accepted: UTF-8 text without "
                                  "control characters");
    }
    return Parse(text, source, false);
}

} // namespace ns3::dml
