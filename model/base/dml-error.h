/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ERROR_H
#define DML_ERROR_H

#include <stdexcept>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Input that a user can mend: a file, a key, an option, a combination of values.
 *
 * The text is complete and printed as it is; where a file is at fault it starts with
 * "file:line:column". A program that meets it exits with code 2.
 */
class InputError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * @ingroup dml-base
 * @brief A key of a scenario that something refuses which does not know where the key stands.
 */
class KeyError : public InputError
{
  public:
    /// @param key such as "network.rate"
    /// @param reason what was found, and what would be accepted
    KeyError(const std::string& key, const std::string& reason)
        : InputError(key + ": " + reason),
          m_key(key),
          m_reason(reason)
    {
    }

    /// @return the refused key
    const std::string& GetKey() const
    {
        return m_key;
    }

    /// @return the text without the key
    const std::string& GetReason() const
    {
        return m_reason;
    }

  private:
    std::string m_key;    //!< refused
    std::string m_reason; //!< found and accepted
};

/**
 * @ingroup dml-base
 * @brief A run that could not be finished: a stalled simulation, a failed write, a lost process.
 *
 * A program that meets it exits with code 1.
 */
class RunError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * @ingroup dml-base
 * @brief A signal ended what was running: nothing is tried instead.
 */
class InterruptedError : public RunError
{
  public:
    using RunError::RunError;
};

/**
 * @ingroup dml-base
 * @brief Do something with what a file has, so that an error names the file.
 * @param file path
 * @param action to do
 * @return what it returns
 * @throws InputError of @p action, with the file before it unless it is there
 */
template <class Action>
auto
WithFile(const std::string& file, Action action)
{
    try
    {
        return action();
    }
    catch (const InputError& error)
    {
        const std::string text = error.what();
        throw InputError(text.compare(0, file.size(), file) == 0 ? text : file + ": " + text);
    }
}

} // namespace ns3::dml

#endif /* DML_ERROR_H */
