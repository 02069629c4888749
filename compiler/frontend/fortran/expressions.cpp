#include <flang/Evaluate/fold.h>
#include <flang/Evaluate/tools.h>
#include <flang/Semantics/tools.h>

#include "convert.hpp"

namespace cppc::fortran {

namespace evaluate = Fortran::evaluate;
namespace semantics = Fortran::semantics;

namespace {

using Kind = Expr::Kind;

ExprPtr make(Expr e) { return std::make_shared<const Expr>(std::move(e)); }

class Converter {
 public:
  explicit Converter(Symbols& symbols) : symbols_(symbols) {}

  template <typename T>
  ExprPtr get(const evaluate::Expr<T>& e) {
    if constexpr (std::is_same_v<T, evaluate::SubscriptInteger> || std::is_same_v<T, evaluate::SomeInteger>)
      if (const auto known = evaluate::ToInt64(e)) return make({.kind = Kind::constant, .value = *known});
    return Fortran::common::visit([this](const auto& one) { return get(one); }, e.u);
  }
  template <typename T>
  ExprPtr get(const evaluate::Constant<T>& constant) {
    if constexpr (T::category == Fortran::common::TypeCategory::Integer)
      if (constant.Rank() == 0) return make({.kind = Kind::constant, .value = constant.GetScalarValue()->ToInt64()});
    return make({.kind = Kind::other});
  }
  /// One that is a single number, as MPI's handles are, is that.
  ExprPtr get(const evaluate::Constant<evaluate::SomeDerived>& constant) {
    const auto made = constant.Rank() == 0 ? constant.GetScalarValue() : std::nullopt;
    if (!made || std::distance(made->begin(), made->end()) != 1) return make({.kind = Kind::other});
    const auto number = evaluate::ToInt64(made->begin()->second.value());
    return number ? make({.kind = Kind::constant, .value = *number}) : make({.kind = Kind::other});
  }
  template <typename T>
  ExprPtr get(const evaluate::Designator<T>& designator) {
    return Fortran::common::visit([this](const auto& one) { return get(one); }, designator.u);
  }
  template <typename T>
  ExprPtr get(const evaluate::FunctionRef<T>& call) {
    return get(static_cast<const evaluate::ProcedureRef&>(call));
  }
  template <typename T>
  ExprPtr get(const evaluate::Parentheses<T>& e) {
    return get(e.left());
  }
  template <typename T, Fortran::common::TypeCategory From>
  ExprPtr get(const evaluate::Convert<T, From>& e) {
    if constexpr (T::category == Fortran::common::TypeCategory::Integer &&
                  From == Fortran::common::TypeCategory::Integer)
      return get(e.left());
    else
      return make({.kind = Kind::other, .parts = {get(e.left())}});
  }
  template <typename T>
  ExprPtr get(const evaluate::Negate<T>& e) {
    return numeric<T>("-", make({.kind = Kind::constant}), get(e.left()));
  }
  template <typename T>
  ExprPtr get(const evaluate::Add<T>& e) {
    return numeric<T>("+", get(e.left()), get(e.right()));
  }
  template <typename T>
  ExprPtr get(const evaluate::Subtract<T>& e) {
    return numeric<T>("-", get(e.left()), get(e.right()));
  }
  template <typename T>
  ExprPtr get(const evaluate::Multiply<T>& e) {
    return numeric<T>("*", get(e.left()), get(e.right()));
  }
  template <typename T>
  ExprPtr get(const evaluate::Divide<T>& e) {
    return numeric<T>("/", get(e.left()), get(e.right()));
  }
  template <typename T>
  ExprPtr get(const evaluate::Extremum<T>& e) {
    return numeric<T>(e.ordering == evaluate::Ordering::Greater ? "max" : "min", get(e.left()), get(e.right()));
  }
  template <typename D, typename R, typename... O>
  ExprPtr get(const evaluate::Operation<D, R, O...>& e) {
    Expr made{.kind = Kind::other};
    made.parts.push_back(get(e.left()));
    if constexpr (sizeof...(O) > 1) made.parts.push_back(get(e.right()));
    return make(std::move(made));
  }
  ExprPtr get(const evaluate::Relational<evaluate::SomeType>& e) {
    return Fortran::common::visit([this](const auto& one) { return get(one); }, e.u);
  }
  template <typename T>
  ExprPtr get(const evaluate::Relational<T>& e) {
    Expr made{.kind = Kind::other, .parts = {get(e.left()), get(e.right())}};
    if constexpr (T::category == Fortran::common::TypeCategory::Integer) {
      made.kind = Kind::operate;
      made.word = comparison(e.opr);
    }
    return make(std::move(made));
  }
  template <int K>
  ExprPtr get(const evaluate::LogicalOperation<K>& e) {
    Expr made{.kind = Kind::other, .parts = {get(e.left()), get(e.right())}};
    const bool both = e.logicalOperator == evaluate::LogicalOperator::And;
    if (both || e.logicalOperator == evaluate::LogicalOperator::Or) {
      made.kind = Kind::operate;
      made.word = both ? "&&" : "||";
    }
    return make(std::move(made));
  }
  template <int K>
  ExprPtr get(const evaluate::Not<K>& e) {
    return make({.kind = Kind::operate, .word = "==", .parts = {get(e.left()), make({.kind = Kind::constant})}});
  }
  template <typename T>
  ExprPtr get(const evaluate::ArrayConstructor<T>& e) {
    Expr made{.kind = Kind::other};
    add(e, made);
    return make(std::move(made));
  }
  ExprPtr get(const evaluate::StructureConstructor& e) {
    Expr made{.kind = Kind::other};
    for (const auto& [component, value] : e) made.parts.push_back(get(value.value()));
    for (const ExprPtr& value : made.parts) symbols_.share(*value);
    return make(std::move(made));
  }
  ExprPtr get(const evaluate::ProcedureRef& call) {
    Expr made{.kind = Kind::call};
    if (const auto* intrinsic = call.proc().GetSpecificIntrinsic()) {
      made.word = intrinsic->name;
    } else {
      const semantics::Symbol* symbol = call.proc().GetSymbol();
      const auto* function =
          symbol != nullptr ? symbol->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr;
      if (function != nullptr && function->stmtFunction()) {
        made.kind = Kind::other;
        made.parts.push_back(get(*function->stmtFunction()));
      } else if (symbol != nullptr && call.proc().GetComponent() == nullptr) {
        made.procedure = symbols_.procedure(*symbol);
      }
    }
    for (const auto& argument : call.arguments()) made.parts.push_back(argument ? get(*argument) : nullptr);
    if (const auto* component = call.proc().GetComponent()) made.parts.push_back(get(*component));
    if (made.word == "allocated" || made.word == "associated" || made.word == "shape" || made.word == "size" ||
        made.word == "lbound" || made.word == "ubound") {
      for (ExprPtr& argument : made.parts)
        if (argument != nullptr) argument = asked_of(argument);
      return make(std::move(made));
    }
    const bool keeps = (made.word.ends_with("c_loc") || !call.proc().GetType()) && made.word != "move_alloc";
    for (const ExprPtr& argument : made.parts)
      if (argument != nullptr && !made.word.empty() && keeps) symbols_.share(*argument);
    return make(std::move(made));
  }
  /// Of the argument of a function that asks what an array is, and reads none of its elements.
  [[nodiscard]] ExprPtr asked_of(const ExprPtr& argument) const {
    if (argument->kind != Kind::name) return argument;
    const Symbol& symbol = symbols_.program().symbols[argument->symbol];
    if (symbol.shape != none) return make({.kind = Kind::name, .symbol = symbol.shape});
    return symbol.array ? make({.kind = Kind::other}) : argument;
  }
  ExprPtr get(const evaluate::ActualArgument& argument) {
    if (const auto* e = argument.UnwrapExpr()) {
      ExprPtr made = get(*e);
      return root(*made) == none || evaluate::IsVariable(*e) ? made : copy_of(*e, std::move(made));
    }
    if (const auto* symbol = argument.GetAssumedTypeDummy()) return symbols_.reference(*symbol);
    return make({.kind = Kind::other});
  }
  ExprPtr get(const semantics::SymbolRef& symbol) { return symbols_.reference(*symbol); }
  ExprPtr get(const evaluate::Component& component) {
    if (const Index part = symbols_.component(component); part != none)
      return make({.kind = Kind::name, .symbol = part});
    const auto* variable = std::get_if<semantics::SymbolRef>(&component.base().u);
    return make({.kind = Kind::member,
                 .word = component.symbol()->name().ToString(),
                 .parts = {variable != nullptr ? symbols_.reference(**variable, false) : get(component.base())}});
  }
  ExprPtr get(const evaluate::NamedEntity& entity) {
    return entity.IsSymbol() ? symbols_.reference(entity.GetFirstSymbol()) : get(entity.GetComponent());
  }
  ExprPtr get(const evaluate::DataRef& reference) {
    return Fortran::common::visit([this](const auto& one) { return get(one); }, reference.u);
  }
  ExprPtr get(const evaluate::ArrayRef& element) {
    Expr made{.kind = Kind::element, .parts = {get(element.base())}};
    for (const auto& subscript : element.subscript())
      made.parts.push_back(Fortran::common::visit([this](const auto& one) { return get(one); }, subscript.u));
    return make(std::move(made));
  }
  ExprPtr get(const evaluate::IndirectSubscriptIntegerExpr& e) { return get(e.value()); }
  ExprPtr get(const evaluate::Triplet& range) {
    const auto* lower = range.GetLower();
    const auto* upper = range.GetUpper();
    return make({.kind = Kind::range,
                 .parts = {lower != nullptr ? get(*lower) : nullptr, upper != nullptr ? get(*upper) : nullptr,
                           get(range.GetStride())}});
  }
  ExprPtr get(const evaluate::CoarrayRef& reference) {
    return make({.kind = Kind::other, .parts = {symbols_.reference(reference.GetFirstSymbol())}});
  }
  ExprPtr get(const evaluate::Substring& part) {
    Expr made{.kind = Kind::other};
    if (const auto* parent = part.GetParentIf<evaluate::DataRef>()) made.parts.push_back(get(*parent));
    made.parts.push_back(get(part.lower()));
    if (const auto upper = part.upper()) made.parts.push_back(get(*upper));
    return make(std::move(made));
  }
  ExprPtr get(const evaluate::ComplexPart& part) { return make({.kind = Kind::other, .parts = {get(part.complex())}}); }
  ExprPtr get(const evaluate::DescriptorInquiry& inquiry) {
    const ExprPtr array = get(inquiry.base());
    const auto dimension = static_cast<std::size_t>(inquiry.dimension());
    if (array->kind != Kind::name) return make({.kind = Kind::other, .parts = {array}});
    if (inquiry.field() != evaluate::DescriptorInquiry::Field::Extent) return make({.kind = Kind::other});
    const auto& bounds = symbols_.program().symbols[array->symbol].bounds;
    if (dimension >= bounds.size() || bounds[dimension].lower == nullptr || bounds[dimension].upper == nullptr)
      return make({.kind = Kind::other});
    const auto integer = [](std::int64_t value) { return make({.kind = Kind::constant, .value = value}); };
    const auto operate = [](const char* word, ExprPtr left, ExprPtr right) {
      return make({.kind = Kind::operate, .word = word, .parts = {std::move(left), std::move(right)}});
    };
    const ExprPtr last = operate("-", bounds[dimension].upper, bounds[dimension].lower);
    return operate("max", operate("+", last, integer(1)), integer(0));
  }
  ExprPtr get(const evaluate::ProcedureDesignator& designator) {
    Expr made{.kind = Kind::call, .word = "(address)"};  // of a procedure
    if (const auto* symbol = designator.GetSymbol()) made.procedure = symbols_.procedure(*symbol);
    return make(std::move(made));
  }
  ExprPtr get(const evaluate::ImpliedDoIndex& /*index*/) { return make({.kind = Kind::other}); }
  ExprPtr get(const evaluate::TypeParamInquiry& inquiry) {
    Expr made{.kind = Kind::other};
    if (inquiry.base() && !inquiry.base()->IsSymbol()) made.parts.push_back(get(*inquiry.base()));
    return make(std::move(made));
  }
  ExprPtr get(const evaluate::BOZLiteralConstant& /*constant*/) { return make({.kind = Kind::other}); }
  ExprPtr get(const evaluate::NullPointer& /*null*/) { return make({.kind = Kind::other}); }

 private:
  template <typename T>
  ExprPtr numeric(const char* word, ExprPtr left, ExprPtr right) {
    const bool whole = T::category == Fortran::common::TypeCategory::Integer;
    return make({.kind = whole ? Kind::operate : Kind::other,
                 .word = whole ? word : "",
                 .parts = {std::move(left), std::move(right)}});
  }
  static const char* comparison(Fortran::common::RelationalOperator which) {
    using Operator = Fortran::common::RelationalOperator;
    switch (which) {
      case Operator::LT:
        return "<";
      case Operator::LE:
        return "<=";
      case Operator::EQ:
        return "==";
      case Operator::NE:
        return "!=";
      case Operator::GE:
        return ">=";
      case Operator::GT:
        return ">";
    }
    return "";
  }
  /// The value of a variable, which is in another place then.
  static ExprPtr copy_of(const evaluate::Expr<evaluate::SomeType>& e, ExprPtr variable) {
    const auto type = e.GetType();
    if (!type || type->category() != Fortran::common::TypeCategory::Integer || e.Rank() != 0)
      return make({.kind = Kind::other, .parts = {std::move(variable)}});
    return make({.kind = Kind::operate, .word = "+", .parts = {std::move(variable), make({.kind = Kind::constant})}});
  }
  template <typename T>
  void add(const evaluate::ArrayConstructorValues<T>& values, Expr& made) {
    for (const auto& value : values) Fortran::common::visit([&](const auto& one) { add_value(one, made); }, value.u);
  }
  template <typename T>
  void add_value(const evaluate::Expr<T>& value, Expr& made) {
    made.parts.push_back(get(value));
  }
  template <typename T>
  void add_value(const evaluate::ImpliedDo<T>& loop, Expr& made) {
    for (const auto* bound : {&loop.lower(), &loop.upper(), &loop.stride()}) made.parts.push_back(get(*bound));
    add(loop.values(), made);
  }

  Symbols& symbols_;
};

}  // namespace

ExprPtr Symbols::convert(const evaluate::Expr<evaluate::SomeType>& e) { return Converter(*this).get(e); }

ExprPtr Symbols::convert(const evaluate::ProcedureRef& call) { return Converter(*this).get(call); }

/// A name of ASSOCIATE or SELECT: for a variable it is another name of that.
ExprPtr Symbols::selector(const evaluate::Expr<evaluate::SomeType>& e) {
  ExprPtr selected = convert(e);
  const Index symbol = root(*selected);
  if (symbol == none || !evaluate::IsVariable(e)) return make({.kind = Kind::other, .parts = {std::move(selected)}});
  if (selected->kind == Kind::name && program_.symbols[symbol].descriptor != Symbol::Descriptor::pointer)
    return selected;
  Symbol& known = program_.symbols[symbol];
  if (known.descriptor != Symbol::Descriptor::none) share(*selected);
  known.aliased = true;
  if (known.unclear.empty()) known.unclear = "a name of an ASSOCIATE or SELECT construct leads to a part of it";
  return make({.kind = Kind::other, .parts = {std::move(selected)}});
}

ExprPtr Symbols::reference(const semantics::Symbol& symbol, bool whole) {
  const semantics::Symbol& ultimate = symbol.GetUltimate();
  if (const auto* association = ultimate.detailsIf<semantics::AssocEntityDetails>();
      association != nullptr && association->expr())
    return selector(*association->expr());
  if (ultimate.has<semantics::SubprogramDetails>() || ultimate.has<semantics::ProcEntityDetails>())
    return make({.kind = Kind::call, .procedure = procedure(ultimate), .word = "(address)"});
  const Index index = variable(ultimate);
  if (whole) program_.symbols[index].whole = true;
  return make({.kind = Kind::name, .symbol = index, .view = view(ultimate)});
}

}  // namespace cppc::fortran
