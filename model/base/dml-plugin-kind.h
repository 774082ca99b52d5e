/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLUGIN_KIND_H
#define DML_PLUGIN_KIND_H

#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Values of attributes by name, as text that ns-3 reads.
using PluginAttributes = std::map<std::string, std::string>;

/// A plug-in that somebody has chosen.
struct PluginSpec
{
    std::string name;            //!< one of a PluginKind, or a TypeId
    PluginAttributes attributes; //!< of a TypeId

    /// @param other any @return whether it is the same choice
    bool operator==(const PluginSpec& other) const
    {
        return name == other.name && attributes == other.attributes;
    }
};

/// A name that stands for a plug-in.
struct PluginName
{
    std::string name;            //!< as scenarios write it
    TypeId (*type)();            //!< GetTypeId() of its class
    PluginAttributes attributes; //!< attributes that come with the name
};

/**
 * @brief What can be chosen in one place: names of ours, and TypeIds of any class of that kind,
 * which a program or a library of the user's may register.
 *
 * The one place that knows which class a name means:
 * @code
 * const PluginKind&
 * SyncPolicies()
 * {
 *     static const PluginKind KIND("synchronisation",
 *                                  &SyncPolicy::GetTypeId,
 *                                  {{"async", &AsynchronousSync::GetTypeId, {}}, ...});
 *     return KIND;
 * }
 * @endcode
 */
class PluginKind
{
  public:
    /**
     * @param what such a plug-in is, for errors
     * @param base GetTypeId() of the class that all of them derive from
     * @param names of those that have one, in the order in which errors list them
     */
    PluginKind(const std::string& what, TypeId (*base)(), const std::vector<PluginName>& names);

    /// @return what such a plug-in is, for errors
    const std::string& GetWhat() const
    {
        return m_what;
    }

    /// @return all names
    const std::vector<std::string>& GetNames() const
    {
        return m_names;
    }

    /// @param name any @return whether it is one of the names
    bool HasName(const std::string& name) const;
    /// @return the TypeIds that can be made, sorted
    std::vector<std::string> ListTypes() const;
    /// @param type any text @return whether it is a TypeId of this kind that can be made
    bool HasType(const std::string& type) const;

    /**
     * @brief What makes a plug-in.
     * @param spec a name, or a TypeId with attributes that it has
     * @return its factory
     * @throws InputError if there is no such name or TypeId, or a value is not for the attribute
     */
    ObjectFactory MakeFactory(const PluginSpec& spec) const;

    /// @param spec as MakeFactory() takes it @return a new plug-in
    template <typename Base>
    Ptr<Base> Create(const PluginSpec& spec) const
    {
        return MakeFactory(spec).template Create<Base>();
    }

  private:
    std::string m_what;               //!< see GetWhat()
    TypeId (*m_base)();               //!< of the base class
    std::vector<PluginName> m_named;  //!< all names
    std::vector<std::string> m_names; //!< the same, without what they mean
};

/// @param type any @return all its attributes that can be set when it is made, inherited ones last
std::vector<TypeId::AttributeInformation> ListAttributes(TypeId type);

/**
 * @brief Give an attribute a value from the scenario around it, such as the seed of a run: if the
 * class has such an attribute that takes the value, and nobody has given another one.
 * @param[in,out] factory of the plug-in
 * @param given attributes that were chosen
 * @param name of the attribute
 * @param value its value
 */
void SetUnlessGiven(ObjectFactory& factory,
                    const PluginAttributes& given,
                    const std::string& name,
                    const AttributeValue& value);

} // namespace ns3::dml

#endif /* DML_PLUGIN_KIND_H */
