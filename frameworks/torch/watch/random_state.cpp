#include "random_state.hpp"

#include <cstring>

namespace assay::watch {

namespace {

at::CPUGeneratorImpl& default_generator() {
  return *at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator());
}

template <class T, class Optional>
std::optional<T> as_std(const Optional& value) {
  return value ? std::optional<T>(*value) : std::nullopt;
}

}  // namespace

RandomState::RandomState(c10::ArrayRef<c10::IValue> arguments) : before_(read_default()) {
  for (const c10::IValue& argument : arguments) {
    if (!argument.isGenerator()) continue;
    at::Generator generator = argument.toGenerator();
    at::Tensor state = generator.get_state();
    others_.push_back({generator, std::move(state), {}});
  }
}

RandomState::Cpu RandomState::read_default() {
  at::CPUGeneratorImpl& generator = default_generator();
  const std::lock_guard lock(generator.mutex_);
  return {generator.engine().data(), as_std<float>(generator.next_float_normal_sample()),
          as_std<double>(generator.next_double_normal_sample())};
}

void RandomState::write_default(const Cpu& state) {
  at::CPUGeneratorImpl& generator = default_generator();
  const std::lock_guard lock(generator.mutex_);
  at::mt19937 engine;
  engine.set_data(state.engine);
  generator.set_engine(engine);
  generator.set_next_float_normal_sample(state.next_float ? decltype(generator.next_float_normal_sample())(*state.next_float)
                                                          : decltype(generator.next_float_normal_sample())());
  generator.set_next_double_normal_sample(state.next_double ? decltype(generator.next_double_normal_sample())(*state.next_double)
                                                            : decltype(generator.next_double_normal_sample())());
}

bool RandomState::same(const Cpu& left, const Cpu& right) {
  const at::mt19937_data_pod& l = left.engine;
  const at::mt19937_data_pod& r = right.engine;
  return l.left_ == r.left_ && l.next_ == r.next_ && l.seed_ == r.seed_ && left.next_float == right.next_float &&
         left.next_double == right.next_double && l.state_ == r.state_;
}

void RandomState::mark() {
  after_ = read_default();
  drew_ = !same(before_, after_);
  for (Other& other : others_) other.after = other.generator.get_state();
}

void RandomState::rewind() {
  if (drew_) write_default(before_);
  for (Other& other : others_) other.generator.set_state(other.before);
}

void RandomState::restore() {
  if (drew_ || !same(read_default(), after_)) write_default(after_);
  for (Other& other : others_) other.generator.set_state(other.after);
}

}  // namespace assay::watch
