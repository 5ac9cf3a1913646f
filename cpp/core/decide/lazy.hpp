// A part of an object that is made when it is first needed, by whichever thread needs it first.
#pragma once

#include <mutex>
#include <optional>

namespace dagmar {

template <class Value>
class Lazy {
   public:
    template <class Make>
    const Value& get(const Make& make) const {
        std::call_once(made_, [&] { value_.emplace(make()); });
        return *value_;
    }

   private:
    mutable std::once_flag made_;
    mutable std::optional<Value> value_;
};

}  // namespace dagmar
