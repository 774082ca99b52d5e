/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-kind.h"

#include "dml-error.h"
#include "dml-suggestion.h"
#include "dml-withheld-types.h"

#include "ns3/string.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Set attributes from text. @throws InputError if one is unknown or its text is no value for it
void
SetAttributes(const std::string& owner, const PluginAttributes& values, ObjectFactory& factory)
{
    const auto attributes = ListAttributes(factory.GetTypeId());
    for (const auto& [name, text] : values)
    {
        const auto attribute =
            std::find_if(attributes.begin(), attributes.end(), [&name = name](const auto& known) {
                return known.name == name;
            });
        const auto value = attribute == attributes.end()
                               ? nullptr
                               : attribute->checker->CreateValidValue(StringValue(text));
        if (!value)
        {
            throw InputError(owner + ": found " + name + ": " + text +
                             "; accepted: attributes of it and values that they take");
        }
        factory.Set(name, *value);
    }
}

} // namespace

PluginKind::PluginKind(const std::string& what,
                       TypeId (*base)(),
                       const std::vector<PluginName>& names)
    : m_what(what),
      m_base(base),
      m_named(names)
{
    for (const auto& plugin : names)
    {
        m_names.push_back(plugin.name);
    }
}

bool
PluginKind::HasName(const std::string& name) const
{
    return std::find(m_names.begin(), m_names.end(), name) != m_names.end();
}

std::vector<std::string>
PluginKind::ListTypes() const
{
    std::vector<std::string> types;
    for (std::size_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const std::string type = TypeId::GetRegistered(i).GetName();
        if (HasType(type))
        {
            types.push_back(type);
        }
    }
    std::sort(types.begin(), types.end());
    return types;
}

bool
PluginKind::HasType(const std::string& type) const
{
    TypeId id;
    return TypeId::LookupByNameFailSafe(type, &id) && id.IsChildOf(m_base()) &&
           id.HasConstructor() && !IsWithheld(id);
}

ObjectFactory
PluginKind::MakeFactory(const PluginSpec& spec) const
{
    const auto named = std::find_if(m_named.begin(), m_named.end(), [&spec](const auto& plugin) {
        return plugin.name == spec.name;
    });
    ObjectFactory factory;
    if (named != m_named.end())
    {
        factory.SetTypeId(named->type());
        SetAttributes(spec.name, named->attributes, factory);
    }
    else if (HasType(spec.name))
    {
        factory.SetTypeId(spec.name);
    }
    else
    {
        throw InputError(m_what + ": found '" + spec.name + "'; accepted: " + JoinWords(m_names) +
                         ", or a TypeId: " + JoinWords(ListTypes()));
    }
    SetAttributes(spec.name, spec.attributes, factory);
    return factory;
}

std::vector<TypeId::AttributeInformation>
ListAttributes(TypeId type)
{
    constexpr uint32_t FLAGS = TypeId::ATTR_CONSTRUCT;
    std::vector<TypeId::AttributeInformation> attributes;
    for (TypeId level = type;; level = level.GetParent())
    {
        for (std::size_t i = 0; i < level.GetAttributeN(); ++i)
        {
            const auto attribute = level.GetAttribute(i);
            if ((attribute.flags & FLAGS) && attribute.accessor->HasSetter())
            {
                attributes.push_back(attribute);
            }
        }
        if (!level.HasParent() || level.GetParent() == level)
        {
            return attributes;
        }
    }
}

void
SetUnlessGiven(ObjectFactory& factory,
               const PluginAttributes& given,
               const std::string& name,
               const AttributeValue& value)
{
    for (const auto& attribute : ListAttributes(factory.GetTypeId()))
    {
        if (attribute.name == name && given.count(name) == 0 &&
            attribute.checker->CreateValidValue(value))
        {
            factory.Set(name, value);
        }
    }
}

} // namespace ns3::dml
