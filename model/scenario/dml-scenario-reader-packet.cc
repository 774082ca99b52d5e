/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-sections.h"

namespace ns3::dml
{

Value<FastForwardSpec>
FastForwardValue()
{
    const std::string accepted = "true, false or {check: PART}, such as {check: 5%}";
    const auto part = PartValue(1, "0% to 100%");
    const std::vector<KeyText> parts{
        {"check",
         part,
         "part of the skips that is simulated instead, to see how far off they are"}};
    return {{accepted, AnySchema({BoolValue().schema, MapSchema(parts)}), parts},
            [accepted, part](const YamlField& field) {
                FastForwardSpec spec;
                if (!field.IsMap())
                {
                    if (!field.IsWord("true") && !field.IsWord("false"))
                    {
                        field.Fail(accepted);
                    }
                    spec.on = field.GetBool();
                    return spec;
                }
                field.CheckKeys({"check"});
                spec.on = true;
                const auto check = field.Get("check");
                if (!check)
                {
                    field.FailWith("found a map without check; accepted: " + accepted);
                }
                spec.check = part.read(check);
                return spec;
            },
            [](const FastForwardSpec& spec) -> KeyJson {
                if (spec.on)
                {
                    return {{"check", spec.check}};
                }
                return false;
            }};
}

} // namespace ns3::dml
