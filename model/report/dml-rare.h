/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RARE_H
#define DML_RARE_H

#include <memory>
#include <optional>
#include <utility>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief An optional value that takes the memory of a pointer where there is none, which is most of
 * the time. Copies have a value of their own, as those of std::optional.
 * @tparam T the value
 */
template <typename T>
class Rare
{
  public:
    Rare() = default;

    /// @param value that there is
    Rare(T value)
        : m_value(std::make_unique<T>(std::move(value)))
    {
    }

    /// @param value that there may be
    Rare(std::optional<T> value)
        : m_value(value ? std::make_unique<T>(*std::move(value)) : nullptr)
    {
    }

    /// @param other copied
    Rare(const Rare& other)
        : m_value(other.m_value ? std::make_unique<T>(*other.m_value) : nullptr)
    {
    }

    Rare(Rare&& other) noexcept = default;

    /// @param other copied, or moved @return this
    Rare& operator=(Rare other) noexcept
    {
        m_value.swap(other.m_value);
        return *this;
    }

    ~Rare() = default;

    /// @return whether there is a value
    explicit operator bool() const
    {
        return m_value != nullptr;
    }

    /// @return the value; there must be one
    const T& operator*() const
    {
        return *m_value;
    }

    /// @return the value; there must be one
    T& operator*()
    {
        return *m_value;
    }

    /// @return the value; there must be one
    const T* operator->() const
    {
        return m_value.get();
    }

    /// @return the value; there must be one
    T* operator->()
    {
        return m_value.get();
    }

  private:
    std::unique_ptr<T> m_value; //!< null: none
};

} // namespace ns3::dml

#endif /* DML_RARE_H */
