// One recorded call on the device: arguments by name, the form that fits, its statements, outputs or gradients.
#pragma once

#include "api_table.hpp"
#include "assay/sdk/value.hpp"
#include "transfer.hpp"

namespace assay::npu {

class ApiCall {
 public:
  ApiCall(Runner& runner, const ApiTable& table, const ResolvedApi& api, const assay_call& call, const UploadOptions& options);

  Results forward();
  Results backward();

 private:
  void bind();
  void bind_positional(std::size_t parameter, const assay_value& value, std::size_t position);
  void bind_keyword(const std::string& name, const assay_value& value);
  void give(std::size_t parameter, Datum datum, std::string path);
  const Form& choose();
  void execute(const std::vector<Statement>& statements);
  void execute_call(const Statement& statement);
  Datum make_output(const Target& target);
  void make_outputs(const Statement& statement);
  DatumList outputs_of(const Form& form);
  /// Memory of the right shapes where the values aren't needed.
  DatumList outputs_for_backward(const Form& form);
  DatumList evaluate_returns(const Form& form);
  void bring_gradients(const Form& form, const DatumList& outputs);
  void report_written(Results& results);
  Datum gradient_for(const Form& form, std::size_t parameter);
  Datum fitted(Datum gradient, const Datum& argument);
  [[nodiscard]] bool writes_first() const;

  Runner& runner_;
  const ApiTable& table_;
  const ApiFunction& function_;
  const assay_call& call_;
  UploadOptions options_;
  bool in_place_;
  std::vector<Datum> slots_;
  std::vector<std::string> paths_;            ///< of each parameter's argument; empty: not given
  std::vector<const assay_value*> recorded_;  ///< the argument itself; null: not given, or several in one
};

}  // namespace assay::npu
