/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"

#include <string_view>

namespace ns3::dml
{

namespace
{

/// The help of a command; the first line says what it does.
struct Help
{
    const char* command;   //!< name
    std::string_view text; //!< all of it
};

// The command ./dml prints the same files: each is a C++ string.

// clang-format off
constexpr std::string_view OVERVIEW =
#include "help/dml.txt"
;

constexpr Help COMMANDS[]{
    {"run",
#include "help/run.txt"
    },
    {"check",
#include "help/check.txt"
    },
    {"merge",
#include "help/merge.txt"
    },
    {"compare",
#include "help/compare.txt"
    },
    {"certify",
#include "help/certify.txt"
    },
    {"match",
#include "help/match.txt"
    },
    {"init",
#include "help/init.txt"
    },
    {"import",
#include "help/import.txt"
    },
    {"fit-overhead",
#include "help/fit-overhead.txt"
    },
    {"fit-server",
#include "help/fit-server.txt"
    },
    {"order",
#include "help/order.txt"
    },
    {"why",
#include "help/why.txt"
    },
    {"replay",
#include "help/replay.txt"
    },
    {"tune",
#include "help/tune.txt"
    },
    {"optimize",
#include "help/optimize.txt"
    },
    {"memory",
#include "help/memory.txt"
    },
    {"learn",
#include "help/learn.txt"
    },
    {"help",
#include "help/help.txt"
    },
};
// clang-format on

} // namespace

std::string
GetHelp()
{
    constexpr std::size_t NAMES = 14;
    const std::size_t end = OVERVIEW.find('\n') + 1;
    std::string text = std::string(OVERVIEW.substr(0, end)) + "\n";
    for (const auto& help : COMMANDS)
    {
        std::string name = help.command;
        name.resize(NAMES, ' ');
        text += "  " + name + std::string(help.text.substr(0, help.text.find('\n'))) + "\n";
    }
    return text + std::string(OVERVIEW.substr(end));
}

std::optional<std::string>
GetHelp(const std::string& command)
{
    for (const auto& help : COMMANDS)
    {
        if (command == help.command)
        {
            return "dml " + command + ": " + std::string(help.text);
        }
    }
    return std::nullopt;
}

} // namespace ns3::dml
