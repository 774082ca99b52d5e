/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KINETO_TEXT_H
#define DML_KINETO_TEXT_H

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>

/// The forms in which PyTorch's profilers wrote a trace.
enum class KinetoForm
{
    OPERATOR, //!< PyTorch 1.8-1.10
    CPU_OP,   //!< 1.11-2.2
    DECIMALS, //!< 2.3 and later
    LEGACY,   //!< before Kineto
};

/// How GoogleTest shows a form.
inline void
PrintTo(KinetoForm form, std::ostream* out)
{
    *out << static_cast<int>(form);
}

/// Writes the same events in every form.
class KinetoText
{
  public:
    explicit KinetoText(KinetoForm form)
        : m_form(form)
    {
    }

    /// Add an op. @param start us @param duration us @param arguments more of them
    void AddOp(const std::string& name,
               int thread,
               double start,
               double duration,
               nlohmann::json arguments = nlohmann::json::object())
    {
        arguments["External id"] = ++m_id;
        Add("cpu_op", name, thread, start, duration, std::move(arguments));
    }

    /// Add a node of autograd, with its evaluation where the form has such.
    void AddNode(const std::string& name,
                 int thread,
                 double start,
                 double duration,
                 nlohmann::json arguments = nlohmann::json::object())
    {
        if (arguments.contains("Sequence number"))
        {
            arguments["Fwd thread id"] = 1;
        }
        if (m_form != KinetoForm::OPERATOR)
        {
            nlohmann::json outer = arguments;
            outer.erase("Input Dims");
            outer.erase("Input type");
            AddOp("autograd::engine::evaluate_function: " + name, thread, start, duration, outer);
        }
        AddOp(name, thread, start, duration, std::move(arguments));
    }

    /// Add an annotation.
    void AddNote(const std::string& name, int thread, double start, double duration)
    {
        Add("user_annotation", name, thread, start, duration, {{"External id", ++m_id}});
    }

    /// Add any event. @param category as the newest form calls it
    void Add(const std::string& category,
             const std::string& name,
             int thread,
             double start,
             double duration,
             nlohmann::json arguments)
    {
        nlohmann::json event{{"ph", "X"}, {"name", name}, {"pid", 1}, {"tid", thread}};
        if (m_form == KinetoForm::DECIMALS)
        {
            event["ts"] = start + 0.25;
            event["dur"] = duration;
            arguments["Record function id"] = m_id;
        }
        else
        {
            event["ts"] = EPOCH + static_cast<int64_t>(start);
            event["dur"] = static_cast<int64_t>(duration);
        }
        event["cat"] = category;
        if (m_form == KinetoForm::OPERATOR)
        {
            event["tid"] = std::to_string(thread);
            event["cat"] = category == "kernel" ? "Kernel" : "Operator";
        }
        event["args"] = std::move(arguments);
        if (m_form == KinetoForm::LEGACY)
        {
            event.erase("cat");
            event["pid"] = "CPU functions";
            event["args"] = nlohmann::json::object();
        }
        m_events.push_back(event);
    }

    /// Add a record of the allocator. @param bytes that come; below 0: that go
    void AddAllocation(double time, int64_t address, int64_t bytes, int device = 0)
    {
        Add("cpu_instant_event",
            "[memory]",
            1,
            time,
            0,
            {{"Total Reserved", 0},
             {"Total Allocated", 0},
             {"Bytes", bytes},
             {"Addr", address},
             {"Device Id", device == 0 ? -1 : 0},
             {"Device Type", device}});
        m_events.back().erase("dur");
        m_events.back()["ph"] = "i";
        m_events.back()["s"] = "t";
    }

    /// @return id of the last op
    int GetId() const
    {
        return m_id;
    }

    /// @return the whole file
    std::string GetText() const
    {
        if (m_form == KinetoForm::LEGACY)
        {
            return m_events.dump();
        }
        nlohmann::json file{{"schemaVersion", 1}, {"traceEvents", m_events}};
        nlohmann::json dropped{{"ph", "s"}, {"cat", "ac2g"}, {"name", "ac2g"}, {"ts", 7}};
        file["traceEvents"].push_back(dropped);
        return file.dump();
    }

  private:
    static constexpr int64_t EPOCH = 1700000000000000;

    KinetoForm m_form;                                 //!< how to write
    nlohmann::json m_events = nlohmann::json::array(); //!< so far
    int m_id{0};                                       //!< of the last op
};

#endif /* DML_KINETO_TEXT_H */
