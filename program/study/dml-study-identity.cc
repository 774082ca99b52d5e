/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-identity.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-own-json.h"

#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <sstream>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;
using Parts = std::vector<std::pair<std::string, std::string>>; //!< values by name

/// @return the value in one line, at most as much of it as a message can bear
std::string
Shorten(const Json& value)
{
    constexpr std::size_t LONGEST = 60;
    const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() <= LONGEST ? text : text.substr(0, LONGEST - 3) + "...";
}

/// What makes two values differ: the first place, and how many there are.
class Difference
{
  public:
    /// Compare two values at @p path.
    void Compare(const std::string& path, const Json& was, const Json& is)
    {
        const bool maps = was.is_object() && is.is_object();
        const bool lists = was.is_array() && is.is_array() && was.size() == is.size() &&
                           (was.empty() || was.front().is_structured());
        if (was == is)
        {
            return;
        }
        if (lists)
        {
            for (std::size_t i = 0; i < was.size(); ++i)
            {
                Compare(path + "[" + std::to_string(i) + "]", was[i], is[i]);
            }
            return;
        }
        if (!maps)
        {
            Add(path + " is " + Shorten(is) + " and was " + Shorten(was));
            return;
        }
        for (const auto& [key, value] : was.items())
        {
            const std::string inner = path.empty() ? key : path + "." + key;
            const auto found = is.find(key);
            if (found == is.end())
            {
                Add(inner + " is not given and was " + Shorten(value));
            }
            else
            {
                Compare(inner, value, *found);
            }
        }
        for (const auto& [key, value] : is.items())
        {
            if (!was.contains(key))
            {
                Add((path.empty() ? key : path + "." + key) + " is " + Shorten(value) +
                    " and was not given");
            }
        }
    }

    /// One more difference.
    void Add(const std::string& text)
    {
        m_first = m_count++ == 0 ? text : m_first;
    }

    std::string GetText() const
    {
        const std::string more = std::to_string(m_count - 1) + " more difference";
        return m_count < 2 ? m_first : m_first + ", and " + more + (m_count == 2 ? "" : "s");
    }

  private:
    std::string m_first;    //!< in words
    std::size_t m_count{0}; //!< of all
};

/// @param text as GetText() gives it @return values in one line by name; empty if it is no such
/// text
Parts
Split(const std::string& text)
{
    Parts parts;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
    {
        if (line == "{" || line == "}")
        {
            continue;
        }
        line.resize(line.size() - (!line.empty() && line.back() == ',' ? 1 : 0));
        const Json part = ParseOwnJson("{" + line + "}");
        if (!part.is_object() || part.size() != 1)
        {
            return {};
        }
        parts.emplace_back(part.begin().key(), part.begin()->dump());
    }
    return parts;
}

/// @return a part for people: an option, or a variant
std::string
NamePart(const std::string& name)
{
    return name.rfind("--", 0) == 0 ? name : "the variant " + name;
}

} // namespace

void
StudyIdentity::Add(const std::string& name, const nlohmann::ordered_json& value)
{
    // names come from files of any encoding
    const auto dump = [](const Json& json) {
        return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    m_parts.emplace_back(Json::parse(dump(name)).get<std::string>(), dump(value));
}

std::string
StudyIdentity::GetText() const
{
    std::string text = "{\n";
    for (const auto& [name, value] : m_parts)
    {
        text += (text.size() > 2 ? ",\n" : "") + Json(name).dump() + ": " + value;
    }
    return text + "\n}\n";
}

std::string
StudyIdentity::GetName() const
{
    return MakeChecksum(GetText());
}

std::string
StudyIdentity::DescribeDifference(const std::string& was, const std::string& without) const
{
    if (was == GetText())
    {
        return "";
    }
    auto others = Split(was);
    if (others.empty())
    {
        return "its study.json is damaged";
    }
    const auto isWithout = [&without](const Part& part) { return part.first == without; };
    auto parts = m_parts;
    for (auto* list : {&others, &parts})
    {
        list->erase(std::remove_if(list->begin(), list->end(), isWithout), list->end());
    }
    if (others == parts)
    {
        return "";
    }
    const std::map<std::string, std::string> old(others.begin(), others.end());
    Difference difference;
    for (const auto& [name, value] : parts)
    {
        const auto before = old.find(name);
        if (before == old.end())
        {
            difference.Add(NamePart(name) + " is new");
        }
        else if (before->second != value)
        {
            difference.Compare(name, Json::parse(before->second), Json::parse(value));
        }
    }
    const std::map<std::string, std::string> current(parts.begin(), parts.end());
    for (const auto& part : others)
    {
        if (current.count(part.first) == 0)
        {
            difference.Add(NamePart(part.first) + " is gone");
        }
    }
    const std::string text = difference.GetText();
    return text.empty() ? "its variants are in another order" : text;
}

std::string
GetBuildName()
{
    static const std::string name = [] {
        Dl_info info = {};
        const bool found = dladdr(reinterpret_cast<const void*>(&GetBuildName), &info) != 0;
        return found && info.dli_fname ? ChecksumOfFile(info.dli_fname) : "";
    }();
    return name; // searches make many studies
}

} // namespace ns3::dml
