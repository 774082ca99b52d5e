/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_YAML_PARSER_H
#define DML_YAML_PARSER_H

#include "dml-yaml-node.h"

#include <string>

namespace ns3::dml
{

/**
 * @brief Parse one YAML document.
 *
 * Stricter than yaml-cpp, which is used inside: duplicate keys, explicit tags, several documents,
 * keys that are no scalars, aliases to a node that contains them, and aliases that unfold to more
 * than a million nodes are errors. Text without any node is an empty node at 1:1.
 * @param text the YAML, checked by CheckText()
 * @param source file name for marks and messages
 * @return the root
 * @throws InputError with "source:line:column"
 */
YamlNodePtr ParseYaml(const std::string& text, const std::string& source);

/**
 * @brief Parse the value of a command-line option as YAML.
 * @param text the value
 * @param source the option as given, which stands for the position in messages
 * @return the value; its marks have no lines
 * @throws InputError starting with @p source
 */
YamlNodePtr ParseYamlOption(const std::string& text, const std::string& source);

} // namespace ns3::dml

#endif /* DML_YAML_PARSER_H */
