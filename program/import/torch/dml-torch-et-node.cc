/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-node.h"

#include "dml-torch-trace.h"

#include "ns3/dml-import-limits.h"
#include "ns3/dml-json-record.h"

#include <algorithm>
#include <optional>
#include <rapidjson/document.h>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// RecordScope::BACKWARD_FUNCTION of PyTorch (ATen/record_function.h).
constexpr int64_t BACKWARD_SCOPE = 1;

/// RecordScope::USER_SCOPE of PyTorch.
constexpr int64_t USER_SCOPE = 7;

/// @return the list that a field holds
rapidjson::Document
ParseList(const JsonRecord& record, std::string_view key)
{
    const std::string_view text = record.GetText(key);
    rapidjson::Document list;
    list.Parse<rapidjson::kParseNanAndInfFlag>(text.data(), text.size());
    if (list.HasParseError() || !list.IsArray())
    {
        record.Fail(key, "accepted is a list");
    }
    return list;
}

/// The members that newer schemas keep in a list of {name, value}.
class Attributes
{
  public:
    explicit Attributes(const JsonRecord& record)
        : m_record(record)
    {
        if (!record.Has("rf_id"))
        {
            m_list = ParseList(record, "attrs");
        }
    }

    int64_t GetInteger(const char* key, int64_t min) const
    {
        if (!m_list)
        {
            return m_record.GetInteger(key, min, INT64_MAX);
        }
        const rapidjson::Value& value = Find(key);
        if (!value.IsInt64() || value.GetInt64() < min)
        {
            m_record.Fail("attrs",
                          std::string("accepted is a list with a whole number '") + key +
                              "' of at least " + std::to_string(min));
        }
        return value.GetInt64();
    }

    std::string GetString(const char* key) const
    {
        if (!m_list)
        {
            return m_record.GetString(key);
        }
        const rapidjson::Value& value = Find(key);
        if (!value.IsString())
        {
            m_record.Fail("attrs", std::string("accepted is a list with a string '") + key + "'");
        }
        return {value.GetString(), value.GetStringLength()};
    }

  private:
    const rapidjson::Value& Find(std::string_view key) const
    {
        static const rapidjson::Value missing;
        for (const auto& item : m_list->GetArray())
        {
            const auto name = item.IsObject() ? item.FindMember("name") : item.MemberEnd();
            if (item.IsObject() && name != item.MemberEnd() && name->value.IsString() &&
                key == name->value.GetString() && item.HasMember("value"))
            {
                return item["value"];
            }
        }
        return missing;
    }

    const JsonRecord& m_record;                //!< the node
    std::optional<rapidjson::Document> m_list; //!< the list, in newer schemas
};

/**
 * @param schema as "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> ..."
 * @return for each argument whether the operator changes it
 */
std::vector<bool>
FindWritten(std::string_view schema)
{
    std::vector<bool> written;
    std::size_t depth = 0;
    bool isType = true; // before the first space of an argument
    bool isStar = false;
    for (std::size_t at = schema.find('('); at < schema.size(); ++at)
    {
        const char c = schema[at];
        const bool isStart = c == '(' && depth == 0;
        depth += c == '(' || c == '[' ? 1 : 0;
        depth -= (c == ')' || c == ']') && depth > 0 ? 1 : 0;
        if (depth == 0)
        {
            break;
        }
        if (isStart || (c == ',' && depth == 1))
        {
            isType = true;
            isStar = false;
            written.push_back(false);
            at += at + 1 < schema.size() && schema[at + 1] == ' ' ? 1 : 0;
            if (at + 1 < schema.size() && schema[at + 1] == '*')
            {
                written.pop_back(); // what follows is only given by name
                isStar = true;
            }
            continue;
        }
        isType = isType && c != ' ';
        if (isType && !isStar && c == '!')
        {
            written.back() = true;
        }
    }
    return written;
}

/// Takes the tensors out of a node's inputs or outputs.
class TensorCollector
{
  public:
    /// @param record the node; @param values, @param shapes, @param types keys of its lists
    TensorCollector(const JsonRecord& record,
                    const char* values,
                    const char* shapes,
                    const char* types)
        : m_record(record),
          m_key(values),
          m_values(ParseList(record, values)),
          m_shapes(ParseList(record, shapes)),
          m_types(ParseList(record, types))
    {
        if (m_types.Size() < m_values.Size())
        {
            record.Fail(types, "accepted is one type for each of '" + m_key + "'");
        }
    }

    /// @param written for each value whether it is changed; may be shorter
    std::vector<TorchEtTensor> Collect(const std::vector<bool>& written)
    {
        for (rapidjson::SizeType i = 0; i < m_values.Size(); ++i)
        {
            const rapidjson::Value& type = m_types[i];
            m_type = type.IsString() ? std::string_view(type.GetString(), type.GetStringLength())
                                     : std::string_view();
            if (m_type.find(TENSOR) != std::string_view::npos)
            {
                const bool isSingle = m_type.substr(0, TENSOR.size()) == TENSOR;
                const std::size_t before = m_tensors.size();
                Visit(m_values[i],
                      i < m_shapes.Size() ? &m_shapes[i] : nullptr,
                      i < written.size() && written[i]);
                if (isSingle && m_tensors.size() != before + 1)
                {
                    FailTensor();
                }
            }
        }
        return std::move(m_tensors);
    }

  private:
    static constexpr std::string_view TENSOR = "Tensor(";

    [[noreturn]] void FailTensor() const
    {
        m_record.Fail(m_key,
                      "accepted are tensors [id, storage, offset, elements, bytes per element, "
                      "device] of at most 1 TiB");
    }

    void Visit(const rapidjson::Value& value, const rapidjson::Value* shape, bool written)
    {
        if (!value.IsArray())
        {
            return;
        }
        if (value.Size() == 6 && value[5].IsString())
        {
            AddTensor(value, shape, written);
            return;
        }
        for (rapidjson::SizeType i = 0; i < value.Size(); ++i)
        {
            const bool isShaped = shape && shape->IsArray() && i < shape->Size();
            Visit(value[i], isShaped ? &(*shape)[i] : nullptr, written);
        }
    }

    void AddTensor(const rapidjson::Value& value, const rapidjson::Value* shape, bool written)
    {
        for (rapidjson::SizeType i = 0; i < 5; ++i)
        {
            if (!value[i].IsUint64())
            {
                FailTensor();
            }
        }
        TorchEtTensor tensor;
        tensor.id = value[0].GetUint64();
        tensor.storage = value[1].GetUint64();
        tensor.offset = value[2].GetUint64();
        tensor.elements = value[3].GetUint64();
        const uint64_t each = value[4].GetUint64();
        if (tensor.elements > importlimit::TENSOR_BYTES ||
            each > importlimit::TENSOR_BYTES / std::max<uint64_t>(tensor.elements, 1))
        {
            FailTensor();
        }
        tensor.bytes = tensor.elements * each;
        tensor.isFloat = TakeIsFloat();
        tensor.isWritten = written;
        if (shape && shape->IsArray())
        {
            for (const auto& size : shape->GetArray())
            {
                tensor.shape += tensor.shape.empty() ? "" : "x";
                tensor.shape += size.IsUint64() ? std::to_string(size.GetUint64()) : "?";
            }
        }
        m_tensors.push_back(std::move(tensor));
    }

    /// @return true if the next tensor that m_type names has floating-point elements
    bool TakeIsFloat()
    {
        const std::size_t at = m_type.find(TENSOR);
        if (at == std::string_view::npos)
        {
            return false;
        }
        m_type.remove_prefix(at + TENSOR.size());
        const std::string_view element = m_type.substr(0, m_type.find(')'));
        for (const char* name : {"float", "Float", "double", "Double", "Half"})
        {
            if (element.find(name) != std::string_view::npos) // c10::BFloat16 too
            {
                return true;
            }
        }
        return false;
    }

    const JsonRecord& m_record;           //!< the node
    const std::string m_key;              //!< of the values
    rapidjson::Document m_values;         //!< values
    rapidjson::Document m_shapes;         //!< their shapes
    rapidjson::Document m_types;          //!< their types
    std::string_view m_type;              //!< type of the value at hand, or the rest of it
    std::vector<TorchEtTensor> m_tensors; //!< found so far
};

/// @return true if an input is the name of an all-reduce, as `record_param_comms` has it
bool
NamesAllReduce(const JsonRecord& record, const char* values)
{
    const rapidjson::Document list = ParseList(record, values);
    return std::any_of(list.Begin(), list.End(), [](const rapidjson::Value& value) {
        return value.IsString() && value.GetString() == std::string_view("allreduce");
    });
}

} // namespace

std::string_view
GetTorchEtBackend(std::string_view name)
{
    const std::string_view backend = name.substr(0, std::min(name.find(':'), name.size()));
    const bool isAnnotation = IsTorchBackend(backend) && name.substr(backend.size(), 2) != "::";
    return isAnnotation && name != backend ? backend : std::string_view();
}

bool
IsTorchEtCollective(const TorchEtNode& node)
{
    constexpr std::string_view REQUESTS = "c10d::";
    return node.name.compare(0, REQUESTS.size(), REQUESTS) == 0 ||
           node.name == "record_param_comms" || !GetTorchEtBackend(node.name).empty();
}

TorchEtNode
ReadTorchEtNode(const JsonRecord& record)
{
    const Attributes attributes(record);
    TorchEtNode node;
    node.name = record.GetString("name");
    node.id = record.GetInteger("id", 0, INT64_MAX);
    node.parent = record.GetInteger(record.Has("ctrl_deps") ? "ctrl_deps" : "parent", 0, INT64_MAX);
    node.function = attributes.GetInteger("rf_id", 0);
    node.sequence = attributes.GetInteger("seq_id", -1);
    const int64_t scope = attributes.GetInteger("scope", 0);
    node.isAnnotation = scope == USER_SCOPE;
    node.isBackward =
        scope == BACKWARD_SCOPE || (node.sequence >= 0 && attributes.GetInteger("fw_tid", 0) != 0);

    const bool isNested = record.Has("inputs.values");
    const std::string backend(GetTorchEtBackend(node.name));
    node.isAllReduce = node.name == "c10d::allreduce_" || node.name == backend + ":all_reduce" ||
                       (node.name == "record_param_comms" &&
                        NamesAllReduce(record, isNested ? "inputs.values" : "inputs"));
    const std::string schema = attributes.GetString("op_schema");
    node.inputs =
        (isNested ? TensorCollector(record, "inputs.values", "inputs.shapes", "inputs.types")
                  : TensorCollector(record, "inputs", "input_shapes", "input_types"))
            .Collect(FindWritten(schema));
    node.outputs =
        (isNested ? TensorCollector(record, "outputs.values", "outputs.shapes", "outputs.types")
                  : TensorCollector(record, "outputs", "output_shapes", "output_types"))
            .Collect({});
    if (schema.empty() && !node.name.empty() && node.name.back() == '_')
    {
        for (TorchEtTensor& input : node.inputs)
        {
            input.isWritten =
                std::any_of(node.outputs.begin(),
                            node.outputs.end(),
                            [&](const TorchEtTensor& output) { return output.id == input.id; });
        }
    }
    return node;
}

} // namespace ns3::dml
