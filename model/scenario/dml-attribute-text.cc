/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-attribute-text.h"

#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

namespace ns3::dml
{

namespace
{

using Attribute = TypeId::AttributeInformation;

/// What ns-3 reads without aborting: most of its values end the program where text is left over.
struct AttributeForm
{
    std::string type; //!< how NameValueType() starts
    bool (*fits)(const Attribute& attribute, const std::string& text); //!< its syntax
    std::string (*accepted)(const Attribute& attribute);               //!< for errors
};

/// @return whether a bound is that of double or float itself, as ns-3 writes it
bool
IsBoundOfType(const std::string& bound)
{
    return bound.find("1.79769e+308") != std::string::npos ||
           bound.find("3.40282e+38") != std::string::npos;
}

/// @return "LOW:HIGH" of "uint32_t LOW:HIGH" as " from LOW to HIGH", without bounds of floating
/// types that are those of the type
std::string
DescribeRange(const Attribute& attribute)
{
    const std::string type = attribute.checker->GetUnderlyingTypeInformation();
    const std::size_t space = type.find(' ');
    const std::size_t colon = type.find(':');
    if (space == std::string::npos || colon == std::string::npos)
    {
        return "";
    }
    const std::string low = type.substr(space + 1, colon - space - 1);
    const std::string high = type.substr(colon + 1);
    if (IsBoundOfType(low))
    {
        return IsBoundOfType(high) ? "" : " of at most " + high;
    }
    return IsBoundOfType(high) ? " of at least " + low : " from " + low + " to " + high;
}

/// @return whether ns-3 reads a text as a size of a queue above 0, which it takes for none, and in
/// 32 bits, beyond which it is undefined
bool
IsQueueSize(const std::string& text)
{
    static const std::map<std::string, double> UNITS{{"B", 1},
                                                     {"kB", 1e3},
                                                     {"KB", 1e3},
                                                     {"KiB", 1024},
                                                     {"MB", 1e6},
                                                     {"MiB", 1048576},
                                                     {"p", 1},
                                                     {"kp", 1e3},
                                                     {"Kp", 1e3},
                                                     {"Kip", 1024},
                                                     {"Mp", 1e6},
                                                     {"Mip", 1048576}};
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto number = ParseNumber(text.substr(0, end));
    const auto unit = UNITS.find(text.substr(end));
    return number && unit != UNITS.end() && *number * unit->second >= 1 &&
           *number * unit->second <= std::numeric_limits<uint32_t>::max();
}

/// @return the names of an enumeration
std::vector<std::string>
ListEnumWords(const Attribute& attribute)
{
    std::istringstream names(attribute.checker->GetUnderlyingTypeInformation());
    std::vector<std::string> words;
    for (std::string word; std::getline(names, word, '|');)
    {
        words.push_back(word);
    }
    return words;
}

const std::vector<AttributeForm> ATTRIBUTE_FORMS{
    {"BooleanValue",
     [](const Attribute&, const std::string& text) { return text == "true" || text == "false"; },
     [](const Attribute&) { return std::string("true or false"); }},
    {"UintegerValue",
     [](const Attribute&, const std::string& text) {
         const auto value = ParseInteger(text);
         return value && *value >= 0;
     },
     [](const Attribute& attribute) { return "an integer" + DescribeRange(attribute); }},
    {"IntegerValue",
     [](const Attribute&, const std::string& text) { return ParseInteger(text).has_value(); },
     [](const Attribute& attribute) { return "an integer" + DescribeRange(attribute); }},
    {"DoubleValue",
     [](const Attribute&, const std::string& text) { return ParseNumber(text).has_value(); },
     [](const Attribute& attribute) { return "a number" + DescribeRange(attribute); }},
    {"TimeValue",
     [](const Attribute&, const std::string& text) { return ParseNanoseconds(text).has_value(); },
     [](const Attribute&) { return std::string(TIME_FORM); }},
    {"DataRateValue",
     [](const Attribute&, const std::string& text) { return ParseBitRate(text).has_value(); },
     [](const Attribute&) { return std::string(RATE_FORM); }},
    {"QueueSizeValue",
     [](const Attribute&, const std::string& text) { return IsQueueSize(text); },
     [](const Attribute&) {
         return std::string("a queue size of packets (p, Kp, Kip, Mp, Mip) or bytes (B, KB, KiB, "
                            "MB, MiB), such as 100p or 64KB");
     }},
    {"EnumValue",
     [](const Attribute& attribute, const std::string& text) {
         const auto words = ListEnumWords(attribute);
         return std::find(words.begin(), words.end(), text) != words.end();
     },
     [](const Attribute& attribute) { return JoinWords(ListEnumWords(attribute)); }},
    {"StringValue",
     [](const Attribute&, const std::string&) { return true; },
     [](const Attribute&) { return std::string("a text"); }},
};

const AttributeForm*
FindAttributeForm(const Attribute& attribute)
{
    const std::string type = NameValueType(attribute);
    const auto form =
        std::find_if(ATTRIBUTE_FORMS.begin(), ATTRIBUTE_FORMS.end(), [&type](const auto& known) {
            return type.rfind(known.type, 0) == 0; // some releases add the enumeration's name
        });
    return form == ATTRIBUTE_FORMS.end() ? nullptr : &*form;
}

} // namespace

std::string
NameValueType(const TypeId::AttributeInformation& attribute)
{
    const std::string space = "ns3::"; // which some checkers write, and others do not
    const std::string type = attribute.checker->GetValueTypeName();
    return type.rfind(space, 0) == 0 ? type.substr(space.size()) : type;
}

std::string
DescribeAttribute(const TypeId::AttributeInformation& attribute)
{
    const auto* form = FindAttributeForm(attribute);
    return form ? form->accepted(attribute) : "";
}

bool
TakesText(const TypeId::AttributeInformation& attribute, const std::string& text)
{
    const auto* form = FindAttributeForm(attribute);
    return form && form->fits(attribute, text) &&
           attribute.checker->CreateValidValue(StringValue(text));
}

} // namespace ns3::dml
