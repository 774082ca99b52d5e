/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTML_REPORT_H
#define DML_HTML_REPORT_H

#include "ns3/dml-result-summary.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief A study as one page that needs nothing else: question, answer, tables, pictures, what was
 * assumed, and how to repeat it.
 *
 * Pictures are those of the folder, within the page; they can be zoomed with the wheel and moved.
 * The page follows the reader's choice of light and dark, and fits a telephone. Nothing in it
 * depends on the clock.
 *
 * @param summary the results
 * @param folder of the results, with the pictures (NAME.svg)
 * @param why what the steps waited for, in lines; may be empty
 * @return HTML
 */
std::string FormatHtmlReport(const RunSummary& summary,
                             const std::string& folder,
                             const std::string& why = "");

/**
 * @brief Put a sentence about a certificate at the end of a page's answer, in place of one that is
 * there.
 * @param page what FormatHtmlReport() made
 * @param sentence text
 * @return the page with it; as it was if it is no such page
 */
std::string SetCheckedSentence(const std::string& page, const std::string& sentence);

} // namespace ns3::dml

#endif /* DML_HTML_REPORT_H */
