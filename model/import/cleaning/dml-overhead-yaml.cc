/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-fit.h"

#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>

namespace ns3
{
namespace dml
{

namespace
{

/// @return how well @p value is known, as a comment
std::string
GetComment(const FittedValue& value)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    if (!value.fitted)
    {
        text << "given";
    }
    else if (!std::isfinite(value.error))
    {
        text << "the records cannot tell how well it is known";
    }
    else
    {
        text << "standard error " << std::setprecision(2) << value.error;
    }
    return text.str();
}

} // namespace

std::string
WriteOverheadYaml(const OverheadFit& fit, double payloadShare)
{
    std::ostringstream yaml;
    yaml.imbue(std::locale::classic());
    yaml << std::setprecision(4);
    if (fit.window && !fit.window->upper)
    {
        yaml << "# transfer: {window: ...}   # no evidence: at least " << fit.window->lower
             << " bytes\n";
    }
    else if (fit.link.window == LinkModel::NO_WINDOW)
    {
        yaml << "transfer: {window: off}   # given\n";
    }
    else
    {
        yaml << "transfer: {window: " << fit.link.window << "B}   # ";
        if (fit.window)
        {
            yaml << fit.window->lower << " to " << *fit.window->upper - 1 << " bytes"
                 << (fit.windowBytes.fitted ? "; " + GetComment(fit.windowBytes) : "") << "\n";
        }
        else
        {
            yaml << "given\n";
        }
    }
    yaml << "overhead:\n"
         << "  alpha: " << fit.link.alpha << "   # seconds per byte; "
         << (fit.alphaNeeded ? GetComment(fit.alpha) : "cannot be told from 1 / rate") << "\n"
         << "  beta: " << fit.link.beta << "   # seconds; " << GetComment(fit.beta) << "\n"
         << "  parallel: " << (fit.link.parallel ? "true" : "false") << "\n";
    const double relative = fit.secondsPerByte.error * fit.link.rate;
    yaml << "network: {rate: " << std::llround(8e-3 * fit.link.rate / payloadShare) << "kbps}   # "
         << 8e-6 * fit.link.rate << " Mbit/s of tensors, ";
    if (fit.secondsPerByte.fitted && std::isfinite(relative))
    {
        yaml << "standard error " << std::setprecision(2) << 100 * relative << " %\n"
             << std::setprecision(4);
    }
    else
    {
        yaml << GetComment(fit.secondsPerByte) << "\n";
    }
    if (!fit.latency.fitted)
    {
        return yaml.str();
    }
    yaml << "# " << fit.link.latency << " s from request to first byte; " << GetComment(fit.latency)
         << "\n";
    return yaml.str();
}

} // namespace dml
} // namespace ns3
