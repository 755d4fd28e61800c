#include "function_library.hpp"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <fstream>
#include <regex>

#include "assay/sdk/error.hpp"
#include "errors.hpp"

namespace assay::torch_adapter {

namespace jit = torch::jit;

struct FunctionLibrary::Definition {
  std::vector<std::string> sources;  ///< one for each overload
  std::vector<jit::StrongFunctionPtr> compiled;
  std::vector<LibraryFunction> functions;
  std::string problem;  ///< of the last overload that doesn't compile
  bool done = false;
};

struct FunctionLibrary::Body {
  std::map<std::string, Definition> definitions;
  std::shared_ptr<jit::CompilationUnit> unit = std::make_shared<jit::CompilationUnit>();
  jit::ResolverPtr resolver;

  Definition& compile(const std::string& name);
};

namespace {

/// `torch` inside a function: operators and dtypes.
class TorchModule : public jit::BuiltinModule {
 public:
  TorchModule() : BuiltinModule("aten") {}

  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& location, jit::GraphFunction& function,
                                          const std::string& field) override {
    static const std::map<std::string, at::ScalarType> kDtypes = {{"bool", at::kBool},
                                                                  {"uint8", at::kByte},
                                                                  {"int8", at::kChar},
                                                                  {"int16", at::kShort},
                                                                  {"int32", at::kInt},
                                                                  {"int64", at::kLong},
                                                                  {"float16", at::kHalf},
                                                                  {"bfloat16", at::kBFloat16},
                                                                  {"float32", at::kFloat},
                                                                  {"float64", at::kDouble},
                                                                  {"complex32", at::kComplexHalf},
                                                                  {"complex64", at::kComplexFloat},
                                                                  {"complex128", at::kComplexDouble}};
    const auto dtype = kDtypes.find(field);
    if (dtype == kDtypes.end()) return BuiltinModule::attr(location, function, field);
    return std::make_shared<jit::SimpleValue>(
        jit::insertConstant(*function.graph(), static_cast<std::int64_t>(dtype->second), location));
  }
};

/// Lengths of list parameters that one int may stand for ("BroadcastingList2[int]"), by parameter. The compiler itself knows this
/// notation only where no default value has to be evaluated, so it is given plain lists.
std::map<std::string, int> take_broadcast_lengths(std::string& source) {
  static const std::regex kNotation("(\\w+): (Optional\\[)?BroadcastingList(\\d)");
  std::map<std::string, int> lengths;
  for (std::sregex_iterator it(source.begin(), source.end(), kNotation), end; it != end; ++it) {
    lengths[(*it)[1]] = std::stoi((*it)[3]);
  }
  source = std::regex_replace(source, kNotation, "$1: $2List");
  return lengths;
}

c10::FunctionSchema with_lengths(const c10::FunctionSchema& schema, const std::map<std::string, int>& lengths) {
  std::vector<c10::Argument> arguments;
  for (const c10::Argument& argument : schema.arguments()) {
    const auto length = lengths.find(argument.name());
    if (length == lengths.end()) {
      arguments.push_back(argument);
    } else {
      arguments.emplace_back(argument.name(), argument.type(), length->second, argument.default_value());
    }
  }
  return schema.cloneWithArguments(std::move(arguments));
}

/// A compiled function as something to run: calls inlined, no optimisation, so that every operator runs as in eager mode.
LibraryFunction make_runnable(const std::string& name, jit::Function& function, const std::map<std::string, int>& lengths) {
  auto graph = jit::toGraphFunction(function).graph()->copy();
  jit::Inline(*graph);
  LibraryFunction out;
  out.name = name;
  out.schema = std::make_shared<const c10::FunctionSchema>(with_lengths(function.getSchema(), lengths));
  const std::function<bool(jit::Block*)> writes = [&](jit::Block* block) {
    for (jit::Node* node : block->nodes()) {
      if (const c10::FunctionSchema* schema = node->maybeSchema(); schema != nullptr && schema->is_mutable()) return true;
      for (jit::Block* inner : node->blocks()) {
        if (writes(inner)) return true;
      }
    }
    return false;
  };
  out.writes = writes(graph->block());
  const jit::Code code(graph, name);
  out.run = [code](std::vector<c10::IValue>& stack) { jit::InterpreterState(code).run(stack); };
  return out;
}

}  // namespace

class FunctionLibrary::Resolver : public jit::Resolver {
 public:
  explicit Resolver(Body& body) : body_(body) {}

  std::shared_ptr<jit::SugaredValue> resolveValue(const std::string& name, jit::GraphFunction&, const jit::SourceRange&) override {
    if (name == "torch") return std::make_shared<TorchModule>();
    if (body_.definitions.count(name) == 0) return nullptr;
    const Definition& definition = body_.compile(name);
    if (definition.compiled.empty()) throw Error(ASSAY_UNSUPPORTED, definition.problem);
    return std::make_shared<jit::FunctionValue>(definition.compiled);
  }

 private:
  Body& body_;
};

FunctionLibrary::Definition& FunctionLibrary::Body::compile(const std::string& name) {
  Definition& definition = definitions.at(name);
  if (definition.done) return definition;
  definition.done = true;
  for (std::size_t i = 0; i < definition.sources.size(); ++i) {
    // Each overload lives under a prefix of its own, since a compilation unit holds a name once.
    const c10::QualifiedName prefix("overload" + std::to_string(i));
    try {
      const std::map<std::string, int> lengths = take_broadcast_lengths(definition.sources[i]);
      unit->define(prefix, definition.sources[i], resolver, nullptr);
      jit::Function& function = unit->get_function(c10::QualifiedName(prefix, name));
      definition.functions.push_back(make_runnable(name, function, lengths));
      definition.compiled.emplace_back(unit, &function);
    } catch (const Error& e) {
      definition.problem = e.what();
    } catch (const std::exception& e) {
      definition.problem = compile_problem(e.what());
    }
  }
  return definition;
}

FunctionLibrary::FunctionLibrary(const std::vector<std::string>& files) : body_(std::make_shared<Body>()) {
  body_->resolver = std::make_shared<Resolver>(*body_);
  for (const std::string& path : files) {
    std::ifstream file(path);
    if (!file) throw Error(ASSAY_INVALID_ARGUMENT, "no function library at '" + path + "', which the API table names");
    std::string* current = nullptr;
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("def ", 0) == 0) {
        const std::string name = line.substr(4, line.find('(') - 4);
        current = &body_->definitions[name].sources.emplace_back();
      } else if (!line.empty() && line[0] == '#') {
        continue;
      }
      if (current != nullptr) *current += line + "\n";
    }
  }
}

FunctionLibrary::~FunctionLibrary() = default;

bool FunctionLibrary::has(const std::string& name) const { return body_->definitions.count(name) != 0; }

std::vector<std::string> FunctionLibrary::names() const {
  std::vector<std::string> out;
  for (const auto& [name, definition] : body_->definitions) out.push_back(name);
  return out;
}

const std::vector<LibraryFunction>& FunctionLibrary::overloads(const std::string& name) {
  const Definition& definition = body_->compile(name);
  if (definition.functions.empty()) throw Error(ASSAY_UNSUPPORTED, definition.problem);
  return definition.functions;
}

}  // namespace assay::torch_adapter
