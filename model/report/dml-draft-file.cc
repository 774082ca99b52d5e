/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-draft-file.h"

#include <unistd.h>
#include <utility>

namespace ns3::dml
{

DraftFile::DraftFile(const OutputFolder& folder, const std::string& ending)
    : m_folder(folder),
      m_cleanup([](void* file) noexcept { static_cast<DraftFile*>(file)->Remove(); }, this)
{
    std::string name = folder.GetName() + ending;
    m_file = folder.Create(ending);
    m_name.swap(name); // takes no memory: the file is there, and is removed from now on
}

DraftFile::~DraftFile()
{
    Remove();
}

OpenFile
DraftFile::Take()
{
    return std::move(m_file);
}

void
DraftFile::Publish()
{
    m_folder.Rename(m_name);
    m_name.clear();
}

void
DraftFile::Remove() noexcept
{
    if (!m_name.empty())
    {
        unlinkat(m_folder.GetDescriptor(), m_name.c_str(), 0);
    }
}

} // namespace ns3::dml
