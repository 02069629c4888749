#include "insert.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

namespace cppc::rewrite::fortran {

namespace {

/// Columns that every compiler reads, of what comes in one line.
constexpr std::size_t kColumns = 72;

std::string call_of(const Point& point, bool fixed_form) {
  std::string line = "      call " + point_name(point.number), text;
  for (std::size_t i = 0; i < point.arguments.size(); ++i) {
    const bool last = i + 1 == point.arguments.size();
    const std::string word = (i == 0 ? "(" : " ") + point.arguments[i] + (last ? ")" : ",");
    if (line.size() + word.size() + 2 > kColumns) {
      text += line + (fixed_form ? "\n" : " &\n");
      line = fixed_form ? "     & " : "        ";
    }
    line += word;
  }
  return text + line + "\n";
}

/// With the routine's interface, in a construct of its own, where it can be declared.
std::string declared_call_of(const Point& point, bool fixed_form) {
  std::string names, text = "      block\n      interface\n";
  for (std::size_t i = 0; i < point.dummies.size(); ++i) {
    if (i > 0) names += i % 8 != 0 ? ", " : fixed_form ? ",\n     & " : ", &\n        ";
    names.append("a").append(std::to_string(i));
  }
  text += "      subroutine " + point_name(point.number) + "(" + names + ")\n";
  for (std::size_t i = 0; i < point.dummies.size(); ++i) {
    const auto& [type, shape] = point.dummies[i];
    text += "      " + type + ", intent(in) :: a" + std::to_string(i) + shape + "\n";
  }
  return text + "      end subroutine\n      end interface\n" + call_of(point, fixed_form) + "      end block\n";
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether there is nothing but a comment behind the loop's header. A macro at its end is known by where it begins.
bool is_free_behind(const std::string& line, unsigned column, bool fixed_form) {
  if (column > line.size()) return false;  // the preprocessor has joined it with the line before
  std::size_t i = column;
  while (i > 0 && i < line.size() && in_name(line[i - 1]) && in_name(line[i])) ++i;
  for (; i < line.size(); ++i) {
    if (line[i] == '!' || (fixed_form && i >= kColumns)) return true;
    if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') return false;
  }
  return true;
}

/// The next line is this one of the source.
std::string marker(unsigned line, const std::string& name) {
  return "# " + std::to_string(line) + " \"" + name + "\"\n";
}

/// With blanks in place of the label; nothing if the line does not begin with it.
std::optional<std::string> without_label(std::string line, unsigned label) {
  const std::string digits = std::to_string(label);
  std::size_t i = line.find_first_not_of(" \t");
  while (i < line.size() && line[i] == '0') ++i;
  const std::size_t end = i + digits.size();
  if (i >= line.size() || line.compare(i, digits.size(), digits) != 0) return std::nullopt;
  if (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) return std::nullopt;
  std::ranges::replace_if(
      line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\t'; }, ' ');
  return line;
}

/// The label is that of an empty statement now, in columns that every compiler reads.
std::string labelled(unsigned label) {
  const std::string digits = std::to_string(label);
  return digits + std::string(digits.size() < 6 ? 6 - digits.size() : 1, ' ') + "continue\n";
}

}  // namespace

std::string insert(const std::string& text, const std::string& name, bool fixed_form,
                   const std::vector<const Point*>& points, std::vector<const Point*>& obstacles) {
  std::istringstream lines(text);
  std::string made;
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::string before, behind;
    for (const Point* point : points) {
      if (point->line != number) continue;
      auto rest = point->label != 0 ? without_label(line, point->label) : std::nullopt;
      if (point->label != 0 ? !rest : !is_free_behind(line, point->column, fixed_form)) {
        obstacles.push_back(point);
        continue;
      }
      const std::string call =
          point->has_interface ? declared_call_of(*point, fixed_form) : call_of(*point, fixed_form);
      if (rest) {
        line = *std::move(rest);
        before = labelled(point->label) + call + marker(number, name);
      } else {
        behind += call;
      }
    }
    made += before + line + "\n" + behind;
    if (!behind.empty()) made += marker(number + 1, name);
  }
  return made;
}

}  // namespace cppc::rewrite::fortran
