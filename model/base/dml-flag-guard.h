/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FLAG_GUARD_H
#define DML_FLAG_GUARD_H

namespace ns3::dml
{

/// Sets a flag while it lives, also when a listener throws: marks that a function is running.
class FlagGuard
{
  public:
    explicit FlagGuard(bool& flag)
        : m_flag(flag)
    {
        m_flag = true;
    }

    ~FlagGuard()
    {
        m_flag = false;
    }

    FlagGuard(const FlagGuard&) = delete;
    FlagGuard& operator=(const FlagGuard&) = delete;

  private:
    bool& m_flag; //!< of the owner
};

} // namespace ns3::dml

#endif /* DML_FLAG_GUARD_H */
